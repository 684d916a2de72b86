"""Sentences for the codes of notices, a file per area; :mod:`spinney.wording` merges them."""
