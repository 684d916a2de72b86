"""What writing results costs: seconds, megabytes and memory of each file, by columns."""
