"""N-grams that one system gains and loses against the other."""

from sari.reports.ngram_differences import ngram_differences, tabulate_ngrams
from sari.validation import SystemColumns
from sari.variants import resolve_variant

OUTPUTS = {"base": ["a b", "c e", "a"], "other": ["a", "c d the", "a"], "same": ["a b", "c e", "a"]}
COLUMNS = SystemColumns(["a b", "c", "a b"], OUTPUTS, [["a"], ["c d the"], ["a"]])
VARIANT = resolve_variant(max_order=1)


def test_credits_are_summed_over_segments_where_they_differ():
    found = ngram_differences(COLUMNS, VARIANT, "base")
    assert found["same"] == []
    assert [tuple(row) for row in found["other"]] == [("b", "delete", 1.0, 0.0), ("d", "add", 1.0, 0.0)]
    assert [row.gain for row in ngram_differences(COLUMNS, VARIANT, "other")["base"]] == [-1.0, -1.0]


def test_the_ten_largest_are_found():
    words = " ".join(f"w{number}" for number in range(12))
    columns = SystemColumns([f"a {words}"], {"base": ["a"], "other": [f"a {words}"]}, [["a"]])
    found = ngram_differences(columns, VARIANT, "base")["other"]
    assert [row.text for row in found] == sorted(words.split())[:10]


def test_each_system_that_differs_has_a_table():
    (table,) = tabulate_ngrams(ngram_differences(COLUMNS, VARIANT, "base"), "base")
    assert (table.title, table.texts) == ("other against base", 2)
    assert [cell.text for cell in table.rows[0]] == ["b", "delete", "+1.00", "1.00", "0.00"]
