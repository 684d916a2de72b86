"""Tables on which evidence was wrong once, and whether what looks independent is."""
