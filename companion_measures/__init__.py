"""Measures to report with SARI, as functions over columns of texts. Nothing here computes SARI.

The measures are in `simplification`, `translation` (BLEU, chrF, TER), `readability`, `accuracy` (of strings and trees)
and `xu2016_measures`. They share `words` and `columns`. Like the metric, all functions refuse bad columns with a
ValueError of one line that names the argument and the row.
"""
