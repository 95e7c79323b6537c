"""Files of texts: `reading` reads lines and JSON Lines, `named_sets` reads test sets, `writing` writes files.

Imports only the standard library, so that faults of files are reported at once.
"""
