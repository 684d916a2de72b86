"""What the evidence of a table costs, part by part, and how much its ladder is left to chance."""
