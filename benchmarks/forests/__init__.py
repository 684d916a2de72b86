"""How close the forest algebra comes to the machine's limit.

``python -m benchmarks.forests`` runs all sections and writes ``benchmarks/results/``; name
sections to run only those, ``--quick`` for fewer repetitions. The share of the matrix product's
speed alone, at any width of registers: ``python -m benchmarks.forests.share``.
"""
