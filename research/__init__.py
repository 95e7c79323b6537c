"""Published figures, definitions and public collections, computed again from checkouts of public repositories.

The package is apart from the product and from the wheel. The texts are not part of the project: `python research fetch
FOLDER` brings them. `python research NAME` runs the first six.

- `published`: `published.csv`, the figures of papers, printed and ours.
- `systems`: `docs/systems.csv`, every variant on public outputs of systems, and the page and picture made from it.
- `ratings`: `docs/ratings.csv`, how every variant agrees with people's ratings, and the page made from it.
- `variant_tables`: the tables of variants, options and scripts in documents.
- `paired_tests`: `paired_tests.csv`, what paired tests find between real outputs, and the tables made from it.
- `definitions`: `definitions.csv`, the figures of documents that define measures, printed and ours.
- `collections_of_ratings`: public collections of ratings.
- `fetch`: brings the repositories.
- `files`: files of the repositories, whose commits are in `repositories.csv`, and the tables of the project.
"""
