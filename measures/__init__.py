"""Measures to set beside SARI, as functions over columns of tokenized texts: `simplification` and `generation`.

Beside them how scores agree with people: `agreement` and `linear`, over columns of numbers. Imports `sari.inputs`,
which checks columns of texts, and for agreement the core's resampling and states; nothing here computes SARI.
"""
