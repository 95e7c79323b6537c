"""String accuracies: the paper's example is a doctest; here are an oracle that tries every alignment, and laws."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from sari.companion_measures.accuracy import Edits, generation_string_accuracies, simple_string_accuracies, string_edits

strings = st.text("abc", max_size=5)


def all_alignments(output, reference):
    """Yield the edits of every alignment there is."""
    if not output or not reference:
        yield Edits(Counter(output), Counter(reference), 0)
        return
    for inserted, deleted, replaced in all_alignments(output[1:], reference[1:]):
        yield Edits(inserted, deleted, replaced + (output[0] != reference[0]))
    for inserted, deleted, replaced in all_alignments(output[1:], reference):
        yield Edits(inserted + Counter(output[0]), deleted, replaced)
    for inserted, deleted, replaced in all_alignments(output, reference[1:]):
        yield Edits(inserted, deleted + Counter(reference[0]), replaced)


@given(strings, strings)
def test_no_alignment_has_fewer_edits_or_as_few_with_fewer_substitutions(output, reference):
    def cost(edits):
        return edits.inserted.total() + edits.deleted.total() + edits.substitutions, edits.substitutions

    every = list(all_alignments(output, reference))
    edits = string_edits(list(output), list(reference))
    assert edits in every
    assert cost(edits) == min(map(cost, every))


def test_the_best_reference_counts_and_an_empty_one_has_one_token():
    columns = ["b a c", "c"], [["x", "a b c d"], [""]]
    assert simple_string_accuracies(*columns).tolist() == [1 - 3 / 4, 0]
    assert generation_string_accuracies(*columns).tolist() == [1 - 2 / 4, 0]
