"""Cases for :mod:`spinney.wording`, a module per area: a notice, its sentence in Python, and on the
command line if that is another.
"""
