"""Figures that others published, as rows of data, and what it takes to compute them again.

The texts are not part of the project: whoever wants to compare downloads them. Imports `sari.files`, `sari.measures`
and the core; knows nothing of arguments and of how results are shown.
"""
