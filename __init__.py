"""SARI for automatic text simplification: every published variant, exact and fast."""
