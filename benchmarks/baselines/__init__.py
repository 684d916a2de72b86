"""The baselines' own solvers against those of scikit-learn."""
