"""What only the command line and the app need: reading line files, and showing results.

Nothing here computes a score, and `evaluate.load` copies nothing of it. Its modules import the standard library alone,
so that `score.py --help` answers at once.
"""
