"""Tree accuracies: the sentence of the paper with its tree, trees by hand, files, and laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from sari.companion_measures import trees
from sari.companion_measures.accuracy import simple_string_accuracies
from sari.companion_measures.trees import make_tree, read_trees
from sari.text_files.errors import FileError

MEASURES = (
    trees.simple_tree_accuracies,
    trees.generation_tree_accuracies,
    trees.understandability,
    trees.quality,
)
PHRASE = "the second phase", [3, 3, 0]
#: A sentence of the Penn Treebank, with the tree of the paper's figure 2, and an output: the example of the paper.
SENTENCE = "There was no cost estimate for the second phase", [5, 5, 5, 5, 0, 5, 9, 9, 6]
OUTPUT = "There was estimate for phase the second no cost"


@pytest.mark.parametrize(
    ("sentence", "output", "expected"),
    [
        # Of the sentence's 11 words in treelets three move; one word of the output stands in the place of another.
        (SENTENCE, OUTPUT, (1 - 6 / 11, 1 - 3 / 11, 1)),
        (PHRASE, "the second phase", (1, 1, 0)),
        (PHRASE, "the phase", (2 / 3, 2 / 3, 0)),
        (PHRASE, "the third phase", (2 / 3, 2 / 3, 1)),
        (PHRASE, "the second last phase", (2 / 3, 2 / 3, 0)),
        (PHRASE, "phase the second", (1 / 3, 2 / 3, 0)),
        (PHRASE, "", (0, 0, 0)),
        (("go", [0]), "go", (1, 1, 0)),
        (("the the cat", [3, 3, 0]), "the cat the", (1 / 3, 2 / 3, 0)),
    ],
)
def test_by_hand(sentence, output, expected):
    text, heads = sentence
    simple, moving, substitutions = expected
    columns = [output], [["another one", text]], [make_tree(text.split(), heads)]
    values = [simple, moving]
    values.append((1.3147 * simple - 0.1039 * substitutions - 0.4458) / 0.8689)
    values.append((1.0192 * simple - 0.0869 * substitutions - 0.3553) / 0.6639)
    assert [float(measure(*columns)[0]) for measure in MEASURES] == pytest.approx(values)


@st.composite
def parsed(draw):
    """Draw words, and heads of a tree in which words hang from those before them in some order."""
    words = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=6))
    order = draw(st.permutations(range(1, len(words) + 1)))
    heads = dict.fromkeys(order, 0)
    for number, place in enumerate(order[1:], 1):
        heads[place] = order[draw(st.integers(0, number - 1))]
    return words, [heads[place] for place in sorted(heads)]


@given(parsed(), st.lists(st.sampled_from("abcde"), max_size=6))
def test_laws(sentence, output):
    words, heads = sentence
    tree = make_tree(words, heads)
    assert {place for treelet in tree.treelets for place in treelet} == set(range(len(words)))
    perfect, text = " ".join(words), " ".join(output)
    for measure in MEASURES:
        assert measure([perfect], [perfect], [tree])[0] == pytest.approx(1)
    simple, moving = (measure([text], [perfect], [tree])[0] for measure in MEASURES[:2])
    assert simple <= moving <= 1
    # Under one head that all other words hang from, it is string accuracy, where no word occurs twice.
    flat = make_tree(words, [0, *[1] * (len(words) - 1)])
    if len({*words}) == len(words) and len({*output}) == len(output) and {*output} <= {*words}:
        of_string = simple_string_accuracies([text], [perfect])
        of_tree = trees.simple_tree_accuracies([text], [perfect], [flat])
        assert of_tree == pytest.approx(of_string)


def conllu(*words):
    return "".join(f"{number}\t{word}\t_\t_\t_\t_\t{head}\t_\t_\t_\n" for number, word, head in words) + "\n"


WHOLE = "# text = go\n" + conllu((1, "go", 0))


def test_files(tmp_path):
    path = tmp_path / "t.conllu"
    # A contraction and an empty node are no words.
    words = [("1-2", "don't", "_"), (1, "do", 3), (2, "n't", 3), ("2.1", "you", "_"), (3, "go", 0)]
    path.write_text(WHOLE + conllu(*words))
    assert read_trees(path) == [make_tree(["go"], [0]), make_tree(["do", "n't", "go"], [3, 3, 0])]
    heads = "the heads [2, 1], expected words that all hang from a root, 0"
    rows = "expected rows of CoNLL-U, of ten fields, with heads"
    for text, kind, message in (
        (conllu((1, "do", 2), (2, "go", 1)), ValueError, f"sentence 1: got {heads}"),
        (WHOLE + "Hello.\n", FileError, f"sentence 2: got 'Hello.', {rows}"),
        (WHOLE + conllu((1, "x", "_")), FileError, f"sentence 2: got '1\\tx\\t_\\t_\\t_\\t_\\t_\\t_\\t_\\t_', {rows}"),
        ("", FileError, f"sentence 1: got '', {rows}"),
    ):
        path.write_text(text)
        with refuses(kind, f"{path}: {message}"):
            read_trees(path)


def test_trees_have_the_words_of_a_reference():
    go = make_tree(["Go"], [0])
    for measure in MEASURES:
        assert measure(["go", "go"], [["x", "go"], "go"], [go]).tolist() == pytest.approx([1, 1])  # of two systems
        wanted = "expected those of a reference, such as 'stay'"
        with refuses(ValueError, f"trees[1]: got the words 'Go', {wanted}"):
            measure(["go", "go"], ["go", "stay"], [go, go])
        with refuses(ValueError, "trees: got 2 trees, expected one for each segment"):
            measure(["go"] * 3, ["go"] * 3, [go, go])
