"""Wide tables: how they agree with the dense result, and what they cost."""
