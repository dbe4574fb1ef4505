"""The absorption condition: decisions, certificates, constructions and the least width."""
