"""The founding paper again: every figure and every claim, by one command each.

On the command line ``spinney reproduce figure2``; in Python
:func:`spinney.reproduce.session.reproduce`.

Data flow one way: experiments (:mod:`~spinney.reproduce.experiments`: truths × sizes × methods)
→ records, stored as they arrive (:mod:`~spinney.reproduce.runner`) → one tidy table per figure
(:mod:`~spinney.reproduce.results`) → pictures (:mod:`~spinney.reproduce.figures`) and claims with
verdicts (:mod:`~spinney.reproduce.claims`).
"""
