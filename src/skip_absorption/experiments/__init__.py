"""Experiments: each maps a configuration cell and a seed to rows of one table."""
