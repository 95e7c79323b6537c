"""Results for people and programs: tables of scores in every format, explanations, and reports with pictures.

`score_report` has the results as rows, `score_tables` makes `tables` of them, and `formats` and `latex` write these.
`paragraph` says for a paper how the scores were computed. `measuring` adds companion measures. `explanation` explains a
segment: `segment_ngrams` has what became of its n-grams, `reasons` the words for n-grams and tokens, and
`sentence_edits` and `word_edits` what choices cost; `terminal` prints it. `variant_search` has the variants of a
printed figure. `building` completes a report with what its page shows, and `report_page` writes it.
The modules that list formats and columns import only the standard library.
"""
