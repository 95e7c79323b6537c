"""The endpoints: what they answer, what they refuse, and that programs get it, many at once."""

import inspect
import json
import re

import pytest
from conftest import ROOT
from gradio_client.exceptions import AppError
from programs import example_corpus, with_system

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


def test_programs_get_what_a_function_returns_many_at_once(client):
    calls = [
        ("sentence", [*SEGMENT, {"variant": "hf"}, True]),
        ("corpus", [*with_system(CORPUS, "deleting").values(), None]),
        ("compare", [*CORPUS.values(), NOTHING_GIVEN, "rewriting", None]),
        *(("sentence", [f"a b w{number}", f"a w{number}", [f"a w{number + 1}"]]) for number in range(20)),
    ]
    jobs = [client.submit(*values, api_name=f"/{name}") for name, values in calls]
    assert [job.result() for job in jobs] == [plain(CALLED[name](*values)) for name, values in calls]
    with pytest.raises(AppError, match=r"^outputs: got 1 row, expected 2"):
        client.predict(["a", "b"], ["a"], [["a"], ["b"]], api_name="/corpus")


def test_sentence():
    found = CALLED["sentence"](*SEGMENT, {"variant": "hf"})
    scorer, (source, prediction, references) = Scorer("hf"), SEGMENT
    assert found["scores"] == scorer.compute(sources=[source], predictions=[prediction], references=[references])
    assert found["signature"].startswith("SARI|variant:hf|nrefs:3|")
    wanted = explain(source=source, prediction=prediction, references=references, variant=VARIANTS["hf"])
    edits = [(edit.text, round(edit.points, 2)) for edit in (*wanted.costs[:6], *wanted.earnings[:6])]
    assert [(row["word"], row["points"]) for row in found["costs"] + found["earns"]] == edits
    assert len(json.dumps(found)) < 2_000
    longer = CALLED["sentence"](*SEGMENT, {"variant": "hf"}, details=True)
    assert [token["mark"] for token in longer["source"]] == [token.mark for token in wanted.source]
    assert any(longer["grams"][2]["keep"])
    longest = ["a" * (MAX_DETAILED - 2), "b"]
    assert CALLED["sentence"](*longest, "c", NOTHING_GIVEN, True) == CALLED["sentence"](*longest, ["c"], None, True)


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
TOO_MANY = {str(number): ["a"] for number in range(MAX_SYSTEMS + 1)}
HALF, LETTERS = "a" * (MAX_CHARACTERS // 2), "".join(map(chr, range(20_000, 21_000)))
REFUSED = [
    ("sentence", ["", "a", ["a"]], "Please enter a source: the sentence to simplify."),
    ("sentence", ["a", "a", [" "]], "Please enter at least one reference: "),
    ("sentence", [None, "a", ["a"]], "source: got a missing value (None), expected str"),
    ("sentence", ["a", None, ["a"]], "output: got a missing value (None), expected str"),
    ("sentence", ["a", "a", {"a": "a"}], "references: got dict, expected a list of str"),
    ("sentence", ["a", "a", MANY], "That is more than 100 references of a segment, all that this page takes."),
    ("sentence", [HALF, HALF, ["a"]], "That is more than 15,000 characters, all that this page takes."),
    ("sentence", ["a" * (MAX_DETAILED - 1), "b", ["c"], None, True], "That is more than 3,000 characters, all that"),
    ("sentence", [LETTERS, "b", "c", {"tokenize": "char"}, True], "That is more than 500 kB of details, all that"),
    ("corpus", [[], [], []], "sources: got no segments, expected at least one"),
    ("corpus", [["a"], ["b"], [MANY]], "That is more than 100 references of a segment, all that this page takes."),
    ("corpus", [[""] * (MAX_SEGMENTS + 1)] * 3, "That is more than 5,000 segments, all that this page takes"),
    ("corpus", [["x" * 10_000_001], ["a"], [["a"]]], "That is more than 10 MB, all"),
    ("compare", [["a"], {}, [["a"]]], "outputs: got no system, expected at least one"),
    ("compare", [["a"], {"a\nb": ["a"]}, [["a"]]], "outputs: got the name "),
    ("compare", [["a"], {"x": ["a", "b"]}, [["a"]]], "outputs['x']: got 2 rows, expected 1"),
    ("compare", [["a"], TOO_MANY, [["a"]]], "That is more than 20 systems"),
    ("compare", [["a"], {"x": ["a"]}, [["a"]], None, ["x"]], "baseline: got ['x'], expected one of x"),
    ("compare", [["a"], {"x": ["a"]}, [["a"]], None, None, "t"], "method: got 't', expected one of randomization, "),
]
BAD_OPTIONS = [
    ("hf", "options: got str, expected an object of scoring options by name"),
    ({"maxorder": 2}, "maxorder: got an unknown argument; did you mean 'max_order'?"),
    ({"sentence_splitter": "punkt"}, "sentence_splitter: got an unknown argument"),
    ({"variant": ["hf"]}, "variant: got ['hf'], expected one of hf, "),
    ({"tokenize": "os:system"}, "tokenize: got 'os:system', expected one of 13a, none, intl, char, zh"),
    ({"tokenize": "spm"}, "tokenize: 'spm' is not offered here"),
    ({"max_order": 0}, "max_order: got 0, expected a whole number of at least 1"),
    ({"max_order": 11}, "max_order: got 11, expected a whole number of at most 10"),
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
    assert {*client.view_api(return_format="dict", print_info=False)["named_endpoints"]} == {*documented}


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.__name__)
def test_every_parameter_is_described(endpoint):
    """In the docstring, from which Gradio takes what language models see of a tool: in a line each."""
    described = dict(re.findall(r"^    (\w+): (.+)$", inspect.getdoc(endpoint), re.MULTILINE))
    assert list(described) == list(inspect.signature(endpoint).parameters)
    assert endpoint.__name__ in {name for name, *_ in REFUSED}
    assert "options" not in described or all(name in described["options"] for name in offered_options())
