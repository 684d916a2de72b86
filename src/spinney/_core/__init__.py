"""What every part stands on: checks, compiling, threads, files, progress, pairs."""
