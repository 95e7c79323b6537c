"""The command line: `program` is `score.py`, `reproduce` computes published tables, `arguments` has the options.

Slow modules are imported only after the arguments and the first lines of the files have been checked.
"""
