"""Real tables of packages that no training and no choice has seen: how right, how coherent."""
