"""Checkpoints: MLP blocks of real models, audited, and rewritten without their skips."""
