"""What large tables need: neighbourhoods, workers and clusters; imported when needed."""
