"""Tables drawn from expert Bayesian networks that no training and no choice has seen."""
