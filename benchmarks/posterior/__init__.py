"""How well one forest shared by m rows finds edges (tuning tables), and what the ladder costs."""
