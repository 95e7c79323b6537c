"""The command line: `program` is `score.py`, `arguments` has the options.

Slow modules are imported only after the arguments and the first lines of the files have been checked.
"""
