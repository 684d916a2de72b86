"""What the judge costs: time and memory by the number of columns."""
