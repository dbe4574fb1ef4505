"""Long tests, run by ./reproduce stress alone."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "workflow"), str(HERE.parents[1] / "workflow")]
