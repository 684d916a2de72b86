"""The shipped judge on real tables that come with a truth, and its speed.

``python -m benchmarks.learned real`` also needs tables that do not come with the package; ``speed``
compares with R where it is installed. Results go to ``benchmarks/results/learned-<date>.json``, and
from there into ``docs/accuracy.md`` by ``python -m scripts.make_accuracy``.
"""
