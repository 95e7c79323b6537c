"""Files of texts.

- `reading`: files of lines.
- `table_files`: JSON Lines, CSV and TSV.
- `named_sets`: test sets by name.
- `writing`: files that are written.
- `errors`: faults of files.

Imports nothing slow, so that faults of files are reported at once.
"""
