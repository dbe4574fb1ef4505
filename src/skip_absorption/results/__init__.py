"""What is written to disk: table schemas, atomic storage, provenance."""
