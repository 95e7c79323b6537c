"""Published figures and public collections, computed again by `python . reproduce`; nothing else imports this package.

The texts are not part of the project: the user downloads the repositories that hold them.

- `reproduce`: the program.
- `catalogue`: all tables, by name.
- `outcomes`: what all tables share, and a published figure with ours.
- `outcome_tables`: the same as tables and files.
- `repositories`: repositories, their files and test sets.
- `system_scores`: published SARI of systems.
- `printed_runs`: figures that repositories print for each file of outputs.
- `popular_papers`: the figures in the metric card.
- `measure_tables`: companion measures of systems.
- `rating_correlations`: published correlations of SARI with ratings by people.
- `collections_of_ratings`: public collections of ratings.
- `variant_agreement`: every variant on every collection.
- `public_systems`: public outputs of systems, as rows of data.
- `system_table`: every variant on every public output.
- `stored_figures`: the figures in `docs`, and the pages made from them.
"""
