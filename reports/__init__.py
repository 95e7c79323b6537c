"""Results for people and programs: tables of scores in every format, explanations, and reports with pictures.

`score_report` has the results, `score_tables` makes `tables` of them, and `formats` writes these. `paragraph` says for
a paper how the scores were computed. `explanation` explains a segment, which `terminal` prints. `variant_search` has
the variants of a printed figure. `building` completes a report with what its page shows, and `report_page` writes it.
The modules that list formats and columns import only the standard library.
"""
