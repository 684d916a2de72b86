"""The founding paper again: every figure and every claim, by one command each.

On the command line ``python -m reproduce figure2``; in Python
:func:`reproduce.session.reproduce`.

Data flow one way: experiments (:mod:`~reproduce.experiments`: truths × sizes × methods)
→ records, stored as they arrive (:mod:`~reproduce.runner`) → one tidy table per figure
(:mod:`~reproduce.results`) → pictures (:mod:`~reproduce.figures`) and claims with
verdicts (:mod:`~reproduce.claims`).
"""
