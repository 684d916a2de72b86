"""What the judge must show, each claim one command: ``python -m benchmarks.learned cells noise``.

Evidence is the same for every network, so that of each table is computed once and kept on disk
(:mod:`benchmarks.learned.evidence`), and all judges look at it: the one that is shipped, those
trained on one kind of table, without a group of tables, with other seeds, or on less evidence
(:mod:`benchmarks.learned.judges` says which file is which). Wrong edges beside all peers come from
the records of ``benchmarks.accuracy``, where the learner is the method ``learned``. Results go to
``benchmarks/results/learned-<date>.json``, and from there into ``docs/accuracy.md`` by
``python -m scripts.make_learned``.
"""
