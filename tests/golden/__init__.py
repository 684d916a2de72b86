"""Numbers of every estimator on forty tables, held through changes of the code."""
