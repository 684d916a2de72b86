"""What large tables need: screening, workers and clusters; imported when asked for."""
