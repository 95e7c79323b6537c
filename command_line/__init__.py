"""What runs in a terminal: `score.py` with its options, and published tables computed again.

Imports `sari.files`, `sari.report`, `sari.published`, `sari.measures` and the core. What takes long to import waits
until the arguments and the first lines of the files are known to be good.
"""
