"""Search for s in {0, 1}^N with sum_i s_i a_i w_i^T = T, or a proof that there is none."""

from skip_absorption.absorption.search.outcome import SearchOutcome
from skip_absorption.absorption.search.subset import search_subset

__all__ = ["SearchOutcome", "search_subset"]
