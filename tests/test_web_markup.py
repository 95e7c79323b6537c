"""Answers as HTML, to the character: that they show what was found, and escape what visitors wrote."""

import re

import pytest
from programs import example_corpus
from report_corpus import explained

from sari.report.results import Resampling, Result, ScoreReport
from sari.web.markup import corpus, elements, scores, sentence, systems, variants
from sari.web.results import Comparison, Row, ScoredCorpus

HOSTILE = "<img src=x onerror=alert(1)> & \"'</p>"
ESCAPED = "&lt;img src=x onerror=alert(1)&gt; &amp; &quot;&#x27;&lt;/p&gt;"
SCORES = {"sari": 50.126, "keep": 100.0, "delete": 50.378, "add": 0.0}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "chance alone made a difference as large in none of 1,000 resamples"),
        ({"predictions": {"<i>x": ["a"], "y": ["a b"]}}, "a single segment cannot tell"),
        ({"predictions": {"x": ["a"], "y": ["a"]}}, "is the same as that of"),
        ({"predictions": {"x": ["a"]}}, "One system alone is not tested"),
    ],
)
def test_what_is_said_of_chance(sari, change, said):
    columns = {**example_corpus(), **({"sources": ["a b"], "references": [["a"]], **change} if change else {})}
    warnings = [{"category": "SariWarning", "message": "<script>"}]
    html = systems.systems(Comparison("hf", sari.compare(**columns, details=True), warnings).report)
    assert said in html
    assert "<script>" not in html
    assert "<i>x" not in html


def test_elements():
    assert elements.refusal(HOSTILE) == f'<p class="sari-refusal" role="status">{ESCAPED}</p>'
    assert elements.note(HOSTILE) == f'<p class="sari-note">{ESCAPED}</p>'
    assert elements.signature(HOSTILE) == f'<p class="sari-signature"><code>{ESCAPED}</code></p>'
    assert elements.warnings([]) == ""
    assert elements.warnings([{"category": "x", "message": HOSTILE}]) == (
        f'<ul class="sari-warnings" aria-label="Warnings"><li><b>Warning:</b> {ESCAPED}.</li></ul>'
    )
    assert elements.heads(("A", "B")) == '<tr><th scope="col">A</th><th scope="col">B</th></tr>'
    assert ESCAPED in elements.head(HOSTILE)


def test_scores_are_bars():
    html = scores.scores(SCORES, HOSTILE)
    assert "<span>SARI</span><strong>50.13</strong>" in html
    assert html.endswith(f"</div><p>{ESCAPED}</p></section>")
    assert re.findall(r'aria-label="(\w+)" aria-valuemin="0" aria-valuemax="100" aria-valuenow="([\d.]+)"', html) == [
        ("Keep", "100.00"),
        ("Delete", "50.38"),
        ("Add", "0.00"),
    ]


@pytest.mark.parametrize(("variant", "counts"), [("hf", "Precision"), ("easse", "F1")])
def test_orders_tell_what_counts(variant, counts):
    figures = {"precision": 75.0, "recall": 50.0, "f1": 60.0}
    html = scores.orders([{"order": 1, **dict.fromkeys(("keep", "delete", "add"), figures)}], variant)
    assert f"<caption>Delete <small>counts: {counts}</small></caption>" in html
    assert '<tr><th scope="row">1</th><td>75.00</td><td>50.00</td><td class="counts">60.00</td></tr>' in html


def test_a_token_is_marked_and_explained():
    explanation = explained(source="a <b>", prediction="a", references=["a <b>"], tokenize="none")
    html = sentence.texts(explanation)
    assert (
        '<span class="sari-token" role="listitem" tabindex="0" aria-label="&lt;b&gt;, deleted, though references keep '
        'it. Deleted, but the reference keeps it."><span class="deleted-wrongly"><del>&lt;b&gt;</del></span>'
        '<span class="sari-why" aria-hidden="true"><b>&lt;b&gt;</b> Deleted, but the reference keeps it.</span></span>'
    ) in html
    assert '<h3>Missed additions</h3><p class="sari-none">Nothing.</p>' in html
    assert "<b>&lt;b&gt;</b>" not in sentence.grams(explanation)
    assert "<details open><summary>Single words</summary><h4>Keep <small>precision 1 of 1, recall 1 of 2</small>" in (
        sentence.grams(explanation)
    )


def test_variants_are_ranked_and_their_spread_comes_first():
    results = {"hf": SCORES, "easse": {**SCORES, "sari": 60.0}}
    html = variants.comparison(results, {"hf": HOSTILE, "easse": "x"})
    assert "<strong>9.9</strong> points between the highest and the lowest SARI" in html
    assert html.index("<span>easse</span>") < html.index("<span>hf</span>")
    assert f"<p>{ESCAPED}. <small>keep 100.00, delete 50.38, add 0.00</small></p>" in html
    assert variants.given("", HOSTILE, []).endswith(f"<dd>–</dd><dt>Output</dt><dd>{ESCAPED}</dd></dl></div>")


def test_the_way_from_one_variant_to_another():
    start = {"choice": None, "before": None, "after": None, "sari": 50.0, "change": None}
    step = {"choice": "text", "before": "x", "after": "<y>", "sari": 48.5, "change": -1.5}
    html = variants.difference({"variant_a": "hf", "variant_b": "t2t", "steps": [start, step]})
    row = '<tr><th scope="row">text</th><td>x</td><td>&lt;y&gt;</td><td>48.50</td><td>−1.50</td></tr>'
    assert row in html
    assert '<tr class="total"><th scope="row">t2t</th><td></td><td></td><td>48.50</td><td>−1.50</td></tr>' in html
    same = variants.difference({"variant_a": "hf", "variant_b": "hf", "steps": [start]})
    assert same == '<p class="sari-note">hf and hf are the same.</p>'


def test_a_corpus_has_a_histogram():
    rows = [Row(number, sari, 0.0, 0.0, 0.0, "s", "o", ["r"]) for number, sari in enumerate((0.0, 3.0, 100.0), 1)]
    html = corpus.corpus(ScoredCorpus({**SCORES, "orders": []}, rows, []), "hf")
    assert "<p>3 segments under hf.</p>" in html
    counts = re.findall(r"<title>([\d.]+) to ([\d.]+): (\d+)</title>", html)
    assert len(counts) == 20
    assert [count for *_, count in counts] == ["2", *["0"] * 18, "1"]
    assert "SARI per sentence: from 0.0 to 100.0, median 3.0. The tallest bar has 2." in html


def compared(*systems):
    resampling = Resampling(
        confidence=0.95,
        method="bootstrap",
        resamples=1000,
        trials=1000,
        seed=1,
        comparisons=len(systems) - 1,
        baseline=systems[0].name,
    )
    return ScoreReport(list(systems), resampling=resampling)


def result(name, sari, **more):
    scores = {"sari": sari, "keep": sari, "delete": sari, "add": sari}
    return Result(name, "hf", 10, "SARI|", scores, [], {"sari": [sari - 1, sari + 1]}, **more)


def test_systems_are_tabled_plotted_and_tested():
    tested = {"differences": {"sari": 2.0}, "p_values": {"sari": 0.002}, "corrected_p_values": {"sari": 0.002}}
    html = systems.systems(compared(result("base", 40.0), result(HOSTILE, 42.0, **tested)))
    assert "<caption>10 segments under hf</caption>" in html
    assert (
        f'<tr><th scope="row">{ESCAPED}</th><td><b>42.00</b><span class="sari-unseen"> best</span></td>'
        "<td>41.00 to 43.00</td>"
    ) in html
    assert '<th scope="row">base <small>baseline</small></th><td>40.00</td>' in html
    assert "<td>+2.00</td><td>0.0020*</td></tr>" in html
    assert '<i class="of-baseline" style="left:25.00%"></i>' in html
    assert (
        f"SARI of <b>{ESCAPED}</b> is 2.00 higher than that of <b>base</b>; chance alone made a difference as large in "
        "1 of 1,000 resamples (p = 0.0020): <strong>significant at 5%</strong>."
    ) in html
    assert "Paired bootstrap, two-sided, 1,000 resamples, seed 1." in html


def test_one_system_is_its_own():
    html = systems.systems(compared(result("only", 40.0)))
    assert "best" not in html
    assert "baseline" not in html.replace("of-baseline", "")
    assert "One system alone is not tested: add the outputs of another." in html
