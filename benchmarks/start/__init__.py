"""How long a first graph takes from the command line, and what is imported for it."""
