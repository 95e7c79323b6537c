"""Published figures as rows of data, and the programs that compute them again.

The texts are not part of the project: the user downloads the repositories that hold them.

- `catalogue`: all tables, by name.
- `system_scores`: SARI of systems.
- `measure_tables`: companion measures of systems.
- `rating_correlations`: correlations of SARI with ratings by people.
- `outcomes`: what all tables share, and a published figure beside ours.
- `repositories`: repositories, their files and test sets.
"""
