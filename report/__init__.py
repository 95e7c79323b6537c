"""What only the command line and the app need: reading line files, companion measures, and showing results.

Nothing here computes SARI, and `evaluate.load` copies nothing of it. `text_files` and `tables` import the standard
library alone, so that `score.py --help` answers at once.
"""
