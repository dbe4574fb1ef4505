"""One module per figure: from a table to a Matplotlib figure, with no computation of results."""
