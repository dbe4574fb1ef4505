"""Tests that feed damaged input to every reader; FUZZ_EXAMPLES says how much."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "workflow")]
