"""Measures to set beside SARI, as functions over columns of tokenized texts: `simplification` and `generation`.

Imports of ours only `sari.inputs`, which checks the columns; nothing here computes SARI.
"""
