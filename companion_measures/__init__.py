"""Measures to report with SARI, as functions over columns of texts. Nothing here computes SARI.

The measures are in `simplification`, `translation` (BLEU, chrF, TER), `readability` and `accuracy` (of strings). They
share `columns`. `registry` lists them for the command line, reports and the app. Like the metric, all
functions refuse bad columns with a ValueError of one line that names the argument and the row.
"""
