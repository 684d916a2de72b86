"""Wrong edges, cell by cell: every claim about accuracy is one run of this.

``python -m benchmarks.accuracy --cells 'connected-*' --methods sklearn-glasso-cv --workers 2``

A cell is a simulator with a number of rows (:mod:`benchmarks.accuracy.cells`), a method is a
callable registered by name (:mod:`benchmarks.accuracy.methods`), and repetition k of a cell is the
k-th seed of a named range. Cells of tables with levels and gaps are a group of their own:
``--group tables``. Each finished repetition is stored at once, so that an interrupted run
goes on where it stopped.
"""
