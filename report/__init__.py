"""Results for people and programs: why a text gets its score, tables in every format, and reports with pictures.

Imports `sari.measures`, `sari.published.outcomes` and the core; knows nothing of files, options and pages. `results`,
`tables` and `formats` need the standard library alone, so that the command line answers at once.
"""
