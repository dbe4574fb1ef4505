"""What is collected: all but the stress tests, which ./reproduce stress names."""

collect_ignore = ["stress"]
