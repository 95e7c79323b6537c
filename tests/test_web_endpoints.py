"""The endpoints through gradio_client: what they answer, what they refuse, and many programs at once."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from programs import example_corpus, score_of

from sari.variants import VARIANTS
from sari.web.inputs import MAX_CHARACTERS, MAX_MEGABYTES, MAX_SEGMENTS, MAX_SYSTEMS

pytest_plugins = ("web_app",)


def test_sentence_endpoint(client, sari):
    segment = {"source": "the cat sat", "output": "a cat sat", "references": ["a cat sat", "the cat was sitting"]}
    found = client.predict(**segment, variant="easse", api_name="/sentence")
    scores = sari.compute(
        sources=["the cat sat"], predictions=["a cat sat"], references=[segment["references"]], variant="easse"
    )
    assert found["scores"] == pytest.approx(scores)
    assert found["signature"].startswith("SARI|variant:easse|nrefs:2|")
    assert found["source"][0] == {
        "text": "the",
        "mark": "deleted-rightly",
        "why": "Deleted: 1 of 2 references deletes it too.",
        "credit": 0.5,
    }


def test_variants_endpoint(client, sari):
    found = client.predict("a b c", "a b", ["a b d"], api_name="/variants")
    assert list(found) == list(VARIANTS)
    for name, scores in found.items():
        assert scores["sari"] == pytest.approx(score_of(sari, "a b c", "a b", ["a b d"], variant=name))


def test_corpus_endpoint(client, sari):
    columns = (["a b c", "d"], ["a b", "d"], [["a b d", "a"], ["e"]])
    found = client.predict(*columns, lowercase=False, tokenize="none", api_name="/corpus")
    wanted = sari.compute(
        **dict(zip(("sources", "predictions", "references"), columns, strict=True)),
        lowercase=False,
        tokenize="none",
        details=True,
    )
    assert found == json.loads(json.dumps(wanted))


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_compare_endpoint(client, sari, method):
    columns = example_corpus()
    columns["predictions"]["empty"] = [""] * 10
    options = {"baseline": "rewriting", "method": method, "variant": "easse", "lowercase": False}
    found = client.predict(*columns.values(), **options, api_name="/compare")
    warnings = found.pop("warnings")
    with sari.collect_warnings() as warned:
        wanted = sari.compare(**columns, **options)
    assert found == json.loads(json.dumps(wanted))
    assert {"category": "EmptyOutputsWarning", "message": "empty: 10 of 10 predictions are empty"} in warnings
    assert [row["message"] for row in warnings] == list(map(str, warned))


def test_why_endpoint(client, sari):
    found = client.predict("a b c", "a b", ["a b d", "a"], variant_b="paper", api_name="/why")
    texts = {"sources": ["a b c"], "predictions": ["a b"], "references": [["a b d", "a"]]}
    assert found == json.loads(json.dumps(sari.explain_difference(**texts, variant_b="paper")))
    assert found["steps"][0]["sari"] == pytest.approx(sari.compute(**texts)["sari"])
    assert found["steps"][-1]["sari"] == pytest.approx(sari.compute(**texts, variant="paper")["sari"])


@pytest.mark.parametrize(
    ("endpoint", "values", "message"),
    [
        ("/sentence", ("", "a", ["a"]), "Please enter a source: the sentence to simplify."),
        ("/sentence", ("a", "a", [" "]), "Please enter at least one reference"),
        ("/sentence", ("a", "a", ["a"], "bleu"), "variant: got 'bleu', wanted one of hf, xu2016"),
        ("/sentence", ("a", "a", ["a"], "hf", "13b"), "tokenize: got '13b', wanted "),
        (
            "/variants",
            ("a" * MAX_CHARACTERS, "b", ["c"]),
            "That is 10,002 characters; this page takes 10,000 at a time",
        ),
        ("/compare", (["a"], {"x": ["a", "b"]}, [["a"]]), r"outputs\['x'\]: got 2 rows, wanted 1"),
        ("/compare", (["a"], {}, [["a"]]), "got no system, wanted at least one"),
        ("/compare", (["a"], {"x": ["a"]}, [["a"]], "y"), "baseline: got 'y', wanted one of x"),
        ("/compare", (["a"], {"x": ["a"]}, [["a"]], None, "t"), "method: got 't', wanted one of randomization, "),
        (
            "/compare",
            (["a"], {str(number): ["a"] for number in range(MAX_SYSTEMS + 1)}, [["a"]]),
            "That is 21 systems; this page takes 20 at a time",
        ),
        ("/corpus", (["a"], ["a", "b"], [["a"]]), "outputs: got 2 rows, wanted 1, as many as sources"),
        ("/corpus", ([""] * (MAX_SEGMENTS + 1),) * 3, "That is 5,001 segments; this page takes 5,000 at a time"),
        ("/corpus", (["x" * 1_000_001 * MAX_MEGABYTES], ["a"], [["a"]]), r"That is 10\.0 MB; this page takes 10 MB"),
    ],
)
def test_endpoints_refuse_in_one_line(client, endpoint, values, message):
    with pytest.raises(AppError, match=message) as caught:
        client.predict(*values, api_name=endpoint)
    assert "\n" not in str(caught.value)


def test_only_documented_endpoints_are_public(client):
    assert set(client.view_api(return_format="dict", print_info=False)["named_endpoints"]) == {
        "/sentence",
        "/variants",
        "/why",
        "/corpus",
        "/compare",
    }


def test_twenty_programs_at_once_get_their_own_answers(address):
    def ask(number):
        own = Client(address, verbose=False, ssl_verify=False, httpx_kwargs={"timeout": 60})
        return [
            own.predict(f"a b w{number}", "a w" + str(other), [f"a w{number}"], api_name="/sentence")["output"][-1]
            for other in (number, number + 1)
        ]

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(20)))
    for number, (kept, added) in enumerate(answers):
        assert (kept["text"], kept["mark"]) == (f"w{number}", "kept")
        assert (added["text"], added["mark"]) == (f"w{number + 1}", "added-wrongly")
