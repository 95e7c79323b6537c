"""Files of texts.

- `reading`: files of lines.
- `table_files`: tables: separated values, JSON, .xlsx and .parquet.
- `named_sets`: test sets by name.
- `writing`: files of lines out, whole or not at all.
- `errors`: faults of files.

Imports nothing slow, so that faults of files are reported at once.
"""
