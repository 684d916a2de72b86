"""Measurements: ratios side by side in one run, stored with everything needed to repeat them."""
