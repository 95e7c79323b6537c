"""String and tree accuracies: the paper's example, trees by hand, an oracle that tries every alignment, and laws."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sari.companion_measures import accuracy
from sari.companion_measures.accuracy import Errors, Tree

REFERENCE = "There was no cost estimate for the second phase"
OUTPUT = "There was estimate for phase the second no cost"
TREE = Tree(tuple(REFERENCE.split()), (1, -1, 4, 4, 1, 4, 8, 8, 5))

# The tree of figure 2 of Bangalore et al. 2000, in which words hang from the noun that the sentence is about.
FIGURE_2 = Tree(tuple(REFERENCE.split()), (4, 4, 4, 4, -1, 4, 8, 8, 5))


def conllu(*words):
    """Return a sentence of words, each with its number and its head."""
    return "".join(f"{number}\t{word}\t_\t_\t_\t_\t{head}\t_\t_\t_\n" for number, word, head in words) + "\n"


WHOLE = "# sent_id = 1\n" + conllu(*zip(range(1, 10), TREE.tokens, (2, 0, 5, 5, 2, 5, 9, 9, 6), strict=True))
# A contraction and an empty node, which are no words of their own.
CONTRACTED = conllu(("1-2", "don't", "_"), (1, "do", 3), (2, "n't", 3), ("2.1", "you", "_"), (3, "go", 0))

strings = st.text("abc", max_size=5)


words = st.text("abcd", min_size=1, max_size=6).map(list)


@st.composite
def parsed(draw):
    """Draw a tree whose words hang from the root or from a word that comes before in some order."""
    tokens = draw(words)
    order = draw(st.permutations(range(len(tokens))))
    heads = [-1] * len(tokens)
    for number, place in enumerate(order[1:], 1):
        heads[place] = order[draw(st.integers(0, number - 1))]
    return Tree(tuple(tokens), tuple(heads))


def errors(output, reference):
    (found,) = accuracy.string_errors([output], [reference])
    return found


# Strings


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("b c d a", "a b c d", Errors(1, 1, 0, 1, 4)),
        ("", "a b", Errors(0, 2, 0, 0, 2)),
        ("", "", Errors(0, 0, 0, 0, 0)),
        ("A", "a", Errors(0, 0, 1, 0, 1)),
    ],
)
def test_string_errors_by_hand(output, reference, expected):
    assert errors(output, reference) == expected


def all_alignments(output, reference):
    """Yield insertions, deletions, substitutions of every alignment there is."""
    if not output or not reference:
        yield len(output), len(reference), 0
        return
    for inserted, deleted, replaced in all_alignments(output[1:], reference[1:]):
        yield inserted, deleted, replaced + (output[0] != reference[0])
    for inserted, deleted, replaced in all_alignments(output[1:], reference):
        yield inserted + 1, deleted, replaced
    for inserted, deleted, replaced in all_alignments(output, reference[1:]):
        yield inserted, deleted + 1, replaced


@given(strings, strings)
@settings(deadline=None)
def test_no_alignment_has_fewer_errors_or_as_few_with_fewer_substitutions(output, reference):
    best = min(all_alignments(output, reference), key=lambda found: (sum(found), found[2]))
    found = errors(" ".join(output), " ".join(reference))
    assert (found.insertions, found.deletions, found.substitutions) == best
    assert 0 <= found.moves <= min(found.insertions, found.deletions)


@given(strings, st.lists(strings, min_size=1, max_size=4))
def test_accuracies_are_those_of_the_best_reference(output, references):
    output, references = " ".join(output), list(map(" ".join, references))
    found = [errors(output, text) for text in references]
    simple, moving = (max(getattr(row, name) for row in found) for name in ("simple_accuracy", "generation_accuracy"))
    assert accuracy.simple_string_accuracies([output], [references]) == pytest.approx(simple)
    assert accuracy.generation_string_accuracies([output], [references]) == pytest.approx(moving)


# Trees


def errors_of_tree(output, tree):
    (found,) = accuracy.tree_errors([output], [tree])
    return found


def test_the_tree_of_figure_2():
    """The paper's own: *estimate* is the root; its treelets have 6, 2 and 3 words. The figures are table 1's."""
    found = errors_of_tree(OUTPUT, FIGURE_2)
    assert found == Errors(insertions=3, deletions=3, substitutions=0, moves=3, tokens=11)
    assert accuracy.simple_tree_accuracies([OUTPUT], [FIGURE_2]).round(3) == [0.455]
    assert accuracy.generation_tree_accuracies([OUTPUT], [FIGURE_2]).round(3) == [0.727]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("the second phase", Errors(0, 0, 0, 0, 3)),
        ("the phase", Errors(0, 1, 0, 0, 3)),
        ("the third phase", Errors(0, 0, 1, 0, 3)),
        ("the second last phase", Errors(1, 0, 0, 0, 3)),
        ("phase the second", Errors(1, 1, 0, 1, 3)),
        ("", Errors(0, 3, 0, 0, 3)),
    ],
)
def test_tree_errors_by_hand(output, expected):
    assert errors_of_tree(output, Tree(("the", "second", "phase"), (2, 2, -1))) == expected


@given(parsed())
def test_a_perfect_output_of_any_tree(tree):
    for name in ("simple_tree_accuracies", "generation_tree_accuracies", "understandability", "quality"):
        assert getattr(accuracy, name)([" ".join(tree.tokens)], [tree]) == pytest.approx(1)


@given(parsed(), words)
def test_laws_of_trees(tree, output):
    found = errors_of_tree(" ".join(output), tree)
    assert found.tokens == sum(map(len, tree.treelets))
    assert sorted({place for treelet in tree.treelets for place in treelet}) == list(range(len(tree.tokens)))
    assert found.generation_accuracy >= found.simple_accuracy
    assert (found.generation_accuracy == 1) <= (sorted(output) == sorted(tree.tokens))


def test_read_trees(tmp_path):
    path = tmp_path / "trees.conllu"
    path.write_text(WHOLE + CONTRACTED)
    assert accuracy.read_trees(path) == [TREE, Tree(("do", "n't", "go"), (2, 2, -1))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (WHOLE + conllu((1, "do", 7)), "sentence 2: got heads (1,), expected a tree whose words all hang from a root"),
        (conllu((1, "do", 2), (2, "go", 1)), "sentence 1: got heads (1, 0), expected a tree whose words all hang"),
    ],
)
def test_text_files_that_are_no_trees(tmp_path, text, message):
    path = tmp_path / "trees.conllu"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{path}: {message}')}[^\n]*$"):
        accuracy.read_trees(path)


# What is refused


@pytest.mark.parametrize(
    ("function", "trees", "message"),
    [
        (accuracy.string_errors, ["a", "b"], "references: got 2 rows, expected 1 (as in"),
        (accuracy.tree_errors, ["a"], "trees[0]: got 'a', expected a Tree with a head for each token"),
        (
            accuracy.quality,
            [Tree(("a",), ())],
            "trees[0]: got Tree(tokens=('a',), heads=()), expected a Tree with a head",
        ),
        (accuracy.quality, [Tree(("a",), (0,))], "trees[0]: got heads (0,), expected a tree"),
    ],
)
def test_refusals(function, trees, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        function(["a"], trees)


def test_the_work_grows_with_the_words_of_a_tree():
    """Each head is looked up a few times, and each word compared a few times, however deep the tree is."""
    asked = []

    class Head(int):
        def __hash__(self):
            asked.append(self)
            return int(self).__hash__()

    class Word(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other):
            asked.append(self)
            return str.__eq__(self, other)

    words = 100
    tree = Tree(tuple(Word(f"w{place}") for place in range(words)), tuple(map(Head, range(-1, words - 1))))
    accuracy.tree_errors([" ".join("x" * words)], [tree])
    assert len(asked) <= 15 * words
