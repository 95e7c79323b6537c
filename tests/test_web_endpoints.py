"""The endpoints: what they answer, what they refuse, and that programs get it, many at once."""

import inspect
import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import ROOT
from programs import example_corpus, with_system
from test_web_server import answer

from sari.data_warnings import warning_rows
from sari.reports.explanation import explain
from sari.sari_scorer import Scorer
from sari.variants import VARIANTS
from sari.web.endpoints import ENDPOINTS
from sari.web.inputs import (
    MAX_CHARACTERS,
    MAX_DETAILED,
    MAX_REFERENCES,
    MAX_SEGMENTS,
    MAX_SYSTEMS,
    RefusedError,
    offered_options,
)
from sari.web.samples import samples

pytest_plugins = ("web_app",)

SAMPLE = samples()[0]
SEGMENT = [SAMPLE.source, SAMPLE.prediction, SAMPLE.references]
CALLED = {endpoint.__name__: endpoint for endpoint in ENDPOINTS}
CORPUS = example_corpus()
CHINESE = [["这只很大的猫坐在旧垫子上"], ["这只大猫坐在垫子上"], [["这只大猫坐在垫子上"]]]
NOTHING_GIVEN = dict.fromkeys(offered_options())


def plain(answered):
    return json.loads(json.dumps(answered))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sentence", [*SEGMENT, {"variant": "hf"}, True]),
        ("sentence", SEGMENT),
        ("corpus", [*with_system(CORPUS, "deleting").values(), None]),
        ("compare", [*CORPUS.values(), NOTHING_GIVEN, "rewriting", None]),
    ],
)
def test_programs_get_what_a_function_returns(client, name, values):
    assert client.predict(*values, api_name=f"/{name}") == plain(CALLED[name](*values))


@pytest.mark.parametrize("variant", ["easse", "hf"])
def test_sentence(variant):
    found = CALLED["sentence"](*SEGMENT, {"variant": variant})
    scorer, (source, prediction, references) = Scorer(variant), SEGMENT
    assert found["scores"] == scorer.compute(sources=[source], predictions=[prediction], references=[references])
    assert found["signature"].startswith(f"SARI|variant:{variant}|nrefs:3|")
    wanted = explain(source=source, prediction=prediction, references=references, variant=VARIANTS[variant])
    edits = [(edit.text, round(edit.points, 2)) for edit in (*wanted.costs[:6], *wanted.earnings[:6])]
    assert [(row["word"], row["points"]) for row in found["costs"] + found["earns"]] == edits
    assert len(json.dumps(found)) < 2_000
    longer = CALLED["sentence"](*SEGMENT, {"variant": variant}, details=True)
    assert [token["mark"] for token in longer["source"]] == [token.mark for token in wanted.source]
    assert any(longer["grams"][2]["keep"])


def test_one_reference_needs_no_list():
    one = CALLED["sentence"]("the cat sat", "a cat sat", ["a cat sat"])
    assert CALLED["sentence"]("the cat sat", "a cat sat", "a cat sat", NOTHING_GIVEN) == one


def test_corpus():
    columns = (["a b c", "d"], ["a b", "d"], [["a b d", "a"], ["e"]])
    found = CALLED["corpus"](*columns, {"lowercase": False, "tokenize": "none"})
    assert found.pop("warnings") == []
    wanted = dict(zip(("sources", "predictions", "references"), columns, strict=True))
    assert found == Scorer(lowercase=False, tokenize="none").compute(**wanted, details=True)
    doubts = CALLED["corpus"](*CHINESE)["warnings"]
    assert [(row["category"], row["advice"]["option"]) for row in doubts] == [("TokenizationWarning", "tokenize")]
    assert CALLED["corpus"](*CHINESE, {"tokenize": "zh"})["warnings"] == []


def test_compare():
    scorer = Scorer(lowercase=False)
    columns = {**CORPUS, "predictions": {**CORPUS["predictions"], "empty": [""] * 10}}
    how = {"baseline": "rewriting", "method": "bootstrap"}
    found = CALLED["compare"](*columns.values(), {"lowercase": False}, **how)
    warnings = found.pop("warnings")
    with scorer.collect_warnings() as warned:
        wanted = scorer.compare(**columns, **how)
    assert plain(found) == plain(wanted)
    assert ("EmptyTextsWarning", "10 outputs") in [(row["category"], row["detail"]) for row in warnings]
    assert warnings == warning_rows(warned)


MANY = ["c"] * (MAX_REFERENCES + 1)
REFUSED = [
    ("sentence", ["", "a", ["a"]], "Please enter a source: the sentence to simplify."),
    ("sentence", ["a", "a", [" "]], "Please enter at least one reference: "),
    ("sentence", [None, "a", ["a"]], "source: got a missing value (None), expected str"),
    ("sentence", ["a", None, ["a"]], "output: got a missing value (None), expected str"),
    ("sentence", ["a", "a", {"a": "a"}], "references: got dict, expected a list of str"),
    ("sentence", ["a", "a", MANY], "That is more than 100 references of a segment, all that this page takes."),
    ("sentence", ["a" * MAX_CHARACTERS, "b", ["c"]], "That is more than 15,000 characters, all that this page takes."),
    ("sentence", ["a", "b" * MAX_CHARACTERS, ["c"]], "That is more than 15,000 characters, all that this page takes."),
    ("sentence", ["a" * MAX_DETAILED, "b", ["c"], None, True], "That is more than 3,000 characters, all that"),
    ("sentence", ["".join(map(chr, range(19968, 20968))), "b", "c", {"tokenize": "char"}, True], "details: got 1,"),
    ("corpus", ["a", ["a"], [["a"]]], "sources: got str, expected a list with one str per segment"),
    ("corpus", [[], [], []], "sources: got no segments, expected at least one"),
    ("corpus", [["a"], ["a", "b"], [["a"]]], "outputs: got 2 rows, expected 1 (as in sources)"),
    ("corpus", [["a"], ["b"], [MANY]], "That is more than 100 references of a segment, all that this page takes."),
    ("corpus", [[""] * (MAX_SEGMENTS + 1)] * 3, "That is more than 5,000 segments, all that this page takes"),
    ("corpus", [["x" * 10_000_001], ["a"], [["a"]]], "That is more than 10 MB, all"),
    ("compare", [["a"], None, [["a"]]], "outputs: got NoneType, expected a dict of "),
    ("compare", [["a"], {}, [["a"]]], "outputs: got no system, expected at least one"),
    ("compare", [["a"], {"a\nb": ["a"]}, [["a"]]], "outputs: got the name "),
    ("compare", [["a"], {"x": ["a", "b"]}, [["a"]]], "outputs['x']: got 2 rows, expected 1"),
    (
        "compare",
        [["a"], {str(number): ["a"] for number in range(MAX_SYSTEMS + 1)}, [["a"]]],
        "That is more than 20 systems",
    ),
    ("compare", [["a"], {"x": ["a"]}, [["a"]], None, ["x"]], "baseline: got ['x'], expected one of x"),
    ("compare", [["a"], {"x": ["a"]}, [["a"]], None, "y"], "baseline: got 'y', expected one of x"),
    ("compare", [["a"], {"x": ["a"]}, [["a"]], None, None, "t"], "method: got 't', expected one of randomization, "),
]
BAD_OPTIONS = [
    ("hf", "options: got str, expected an object of scoring options by name"),
    ({"lower": True}, "lower: got an unknown argument"),
    ({"maxorder": 2}, "maxorder: got an unknown argument; did you mean 'max_order'?"),
    ({"sentence_splitter": "punkt"}, "sentence_splitter: got an unknown argument"),
    ({"variant": ["hf"]}, "variant: got ['hf'], expected one of hf, "),
    ({"variant": "bleu"}, "variant: got 'bleu', expected one of hf, xu2016"),
    ({"tokenize": {"a": 1}}, "tokenize: got {'a': 1}, expected one of 13a, none, intl, "),
    ({"tokenize": "os:system"}, "tokenize: got 'os:system', expected one of 13a, none, intl, char, zh"),
    ({"tokenize": "spm"}, "tokenize: 'spm' is not offered here"),
    ({"lowercase": 1}, "lowercase: got 1, expected True or False"),
    ({"max_order": 2.5}, "max_order: got 2.5, expected a whole number of at least 1"),
    ({"max_order": 0}, "max_order: got 0, expected a whole number of at least 1"),
    ({"max_order": 11}, "max_order: got 11, expected a whole number of at most 10"),
    ({"penalties": 3}, "penalties: got 3, expected one of none"),
]


@pytest.mark.parametrize(
    ("name", "values", "line"),
    [*REFUSED, *(("corpus", [["a"], ["a"], [["a"]], options], line) for options, line in BAD_OPTIONS)],
)
def test_values_that_are_refused(name, values, line):
    with pytest.raises(RefusedError) as refusal:
        CALLED[name](*values)
    assert str(refusal.value)[: len(line)] == line
    assert len(str(refusal.value)) <= 200
    assert str(refusal.value).isprintable()


def test_only_documented_endpoints_are_public(client):
    documented = re.findall(r"^\| `(/\w+)` \|", (ROOT / "docs" / "app.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(client.view_api(return_format="dict", print_info=False)["named_endpoints"]) == sorted(documented)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.__name__)
def test_every_parameter_is_described(endpoint):
    """In the docstring, from which Gradio takes what language models see of a tool: in a line each."""
    described = dict(re.findall(r"^    (\w+): (.+)$", inspect.getdoc(endpoint), re.MULTILINE))
    assert list(described) == list(inspect.signature(endpoint).parameters)
    assert all(name in described["options"] for name in offered_options())


def test_twenty_programs_at_once_get_their_own_answers(address):
    def ask(number):
        texts = [[f"a b w{number}", f"a w{other}", [f"a w{number}"], None, True] for other in (number, number + 1)]
        return [answer(address, "sentence", row)[1][0]["output"][-1] for row in texts]

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(20)))
    for number, (kept, added) in enumerate(answers):
        assert (kept["text"], kept["mark"]) == (f"w{number}", "kept")
        assert (added["text"], added["mark"]) == (f"w{number + 1}", "added-wrongly")
