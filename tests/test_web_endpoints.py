"""The endpoints through gradio_client: what they answer, what they refuse, and many programs at once."""

import inspect
import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import ROOT
from gradio_client.exceptions import AppError
from programs import example_corpus
from test_web_server import answer

from sari.data_warnings import warning_rows
from sari.reports.explanation import explain
from sari.variants import VARIANTS
from sari.web.endpoints import ENDPOINTS
from sari.web.inputs import offered_options
from sari.web.samples import samples

pytest_plugins = ("web_app",)

SAMPLE = samples()[0]


def test_sentence_endpoint(client, sari):
    segment = {"source": "the cat sat", "output": "a cat sat", "references": ["a cat sat", "the cat was sitting"]}
    found = client.predict(**segment, options={"variant": "easse"}, api_name="/sentence")
    scores = sari.compute(
        sources=["the cat sat"], predictions=["a cat sat"], references=[segment["references"]], variant="easse"
    )
    assert found["scores"] == pytest.approx(scores)
    assert found["signature"].startswith("SARI|variant:easse|nrefs:2|")
    explanation = explain(
        source="the cat sat", prediction="a cat sat", references=segment["references"], variant=VARIANTS["easse"]
    )
    words = {row["word"]: row["points"] for row in found["costs"]}
    assert words == {edit.text: round(edit.points, 2) for edit in explanation.costs}
    longer = client.predict(**segment, details=True, api_name="/sentence")
    assert longer["source"][0]["mark"] == "deleted-rightly"
    assert [gram["text"] for gram in longer["grams"][2]["add"] if gram["mark"] == "right"] == ["a cat sat"]


def test_the_short_answer_about_a_sentence_is_short(client):
    text = SAMPLE.prediction
    found = client.predict(SAMPLE.source, text, SAMPLE.references, api_name="/sentence")
    assert len(json.dumps(found)) < 2_000
    one = client.predict(SAMPLE.source, text, SAMPLE.references[:1], api_name="/sentence")
    assert client.predict(SAMPLE.source, text, SAMPLE.references[0], api_name="/sentence") == one


def test_corpus_endpoint(client, sari):
    columns = (["a b c", "d"], ["a b", "d"], [["a b d", "a"], ["e"]])
    found = client.predict(*columns, {"lowercase": False, "tokenize": "none"}, api_name="/corpus")
    wanted = sari.compute(
        **dict(zip(("sources", "predictions", "references"), columns, strict=True)),
        variant="easse",
        lowercase=False,
        tokenize="none",
        details=True,
    )
    assert found.pop("warnings") == []
    assert found == json.loads(json.dumps(wanted))


def test_the_corpus_endpoint_doubts_text_that_is_not_split_into_words(client):
    columns = (["这只很大的猫坐在旧垫子上"], ["这只大猫坐在垫子上"], [["这只大猫坐在垫子上"]])
    found = client.predict(*columns, api_name="/corpus")["warnings"]
    assert [(row["category"], row["advice"]["option"]) for row in found] == [("TokenizationWarning", "tokenize")]
    assert client.predict(*columns, {"tokenize": "zh"}, api_name="/corpus")["warnings"] == []


def test_compare_endpoint(client, sari):
    columns = example_corpus()
    columns["predictions"]["empty"] = [""] * 10
    options, how = {"variant": "easse", "lowercase": False}, {"baseline": "rewriting", "method": "bootstrap"}
    found = client.predict(*columns.values(), options=options, **how, api_name="/compare")
    warnings = found.pop("warnings")
    with sari.collect_warnings() as warned:
        wanted = sari.with_options(**options).compare(**columns, **how)
    assert found == json.loads(json.dumps(wanted))
    assert ("EmptyTextsWarning", "10 outputs") in [(row["category"], row["detail"]) for row in warnings]
    assert warnings == json.loads(json.dumps(warning_rows(warned)))


def test_unknown_options_are_refused(client):
    with pytest.raises(AppError, match="lower"):
        client.predict("The cat sat.", "the cat.", ["The cat."], {"lower": True}, api_name="/sentence")


def test_null_means_not_given(client):
    texts = ("The cat sat.", "the cat.", ["The cat."])
    names = list(offered_options())
    found = client.predict(*texts, dict.fromkeys(names), api_name="/sentence")
    assert found == client.predict(*texts, api_name="/sentence")
    pair = (["a b"], {"x": ["a"], "y": ["b"]}, [["a"]])
    compared = client.predict(*pair, dict.fromkeys(names), None, None, api_name="/compare")
    assert compared == client.predict(*pair, api_name="/compare")


def test_a_refusal_is_one_line(client):
    with pytest.raises(AppError, match=r"^Please enter a source: the sentence to simplify\.$"):
        client.predict("", "a", ["a"], api_name="/sentence")


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
        return [answer(address, "call/sentence", json={"data": row})[0]["output"][-1] for row in texts]

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(20)))
    for number, (kept, added) in enumerate(answers):
        assert (kept["text"], kept["mark"]) == (f"w{number}", "kept")
        assert (added["text"], added["mark"]) == (f"w{number + 1}", "added-wrongly")
