"""Depth: compositions of blocks with and without skips (Corollary 3, X6, X7)."""
