"""What spinney says about a table, compared with what is so."""
