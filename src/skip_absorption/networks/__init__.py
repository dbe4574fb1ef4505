"""Networks as exact objects: activations, blocks, canonical forms and the files that hold weights."""
