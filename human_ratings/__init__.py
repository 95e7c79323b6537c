"""How scores agree with ratings by people.

- `correlation`: correlations with intervals.
- `rated_outputs`: outputs with ratings, and how scores of them agree with the ratings.
- `correlation_report`: the same as tables and files.
"""
