"""Sentences for the codes of :mod:`spinney.notices`: a module per area, each with a ``WORDS``."""
