"""Exact arithmetic: rationals, prime fields and balls, and the verdicts they reach."""
