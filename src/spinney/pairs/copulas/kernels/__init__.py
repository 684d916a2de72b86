"""The families compiled: what the fit of all pairs calls, a file a family."""
