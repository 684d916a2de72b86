"""Tables with levels and gaps: a threshold chosen, false edges on noise, time to fit and read."""
