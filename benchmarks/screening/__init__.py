"""What screening loses, whether its level is kept, and what it costs."""
