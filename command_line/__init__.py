"""The command line: `program` is `score.py`, `arguments` has the options.

Slow modules are imported only after the arguments have been checked and, without `--ratings`, the texts have been read.
"""
