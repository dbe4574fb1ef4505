"""One module per statement of the paper, each an exact check with controls that must be rejected."""
