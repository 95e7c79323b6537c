"""Command lines drawn at random: what is accepted has the numbers of `Scorer`, the rest is refused."""

import contextlib
import json
import random
import re
from collections import Counter
from statistics import fmean

import pandas as pd
import pytest
from conftest import runs
from hostile_texts import edited_row
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from programs import output_of, refusal_of

from sari.command_line.options import PAIRED_TESTS, flag_of
from sari.sari_scorer import Scorer
from sari.variants import SCORES

WORDS = re.findall(r"\S+", 'the cat Cat sat big . , can\'t "a" a|b & 50% x_y # {z} é 漢字 =1 -2 \\n ~ [x] * 1,000')
NAMES = ["ours", "b low", "a|b", "x_y", "100%", "копия", "sari", '"q"', "p*", "sari_low", "=1+1", "@a"]
#: Names of own measures; the last three are taken, or would be columns of another.
OWN = ["mine", "bleu_2", "é", "sari_p_value", "bleu_low", "mine_low"]
BASELINES = ["copy", "empty", "unrelated", "references", "each"]
MEASURES = ["bleu", "compression_ratio", "exact_copies", "splits"]
VARIANTS = ["easse", "hf", "set", "xu2016", "star", "t2t", "dsari"]
SHOWN = [*SCORES, "intervals", "difference", "p", "group", "ranks", "bleu"]

one_of = st.sampled_from


def some_of(names, fewest=1, most=None):
    return st.lists(one_of(names), min_size=fewest, max_size=most, unique=True)


def sometimes(values, times=3):
    """Return None most of the time."""
    return st.one_of(*[st.none()] * times, values)


@st.composite
def corpora(draw):
    """Return columns of one to four systems."""
    rng, names = random.Random(draw(st.integers(0, 999))), draw(some_of(NAMES, most=4))
    size, width = draw(one_of([1, 2, 3, 5, 12, 60])), draw(st.integers(1, 3))
    rows = [edited_row(rng, WORDS, rng.randint(1, 8), references=len(names) + width) for _ in range(size)]
    outputs = {name: [versions[place] for _, _, versions in rows] for place, name in enumerate(names)}
    references = [versions[len(names) :] for _, _, versions in rows]
    return {"sources": [source for source, _, _ in rows], "predictions": outputs, "references": references}


#: The options of `Scorer`, and others that are drawn one by one; True is a switch.
CHOICES = {
    "level": one_of(["sentence", "corpus"]),
    "deletion": one_of(["precision", "f1"]),
    "zero_division": one_of([0, 0.5]),
    "tokenize": one_of(["none", "13a", "intl", "char"]),
    "lowercase": st.booleans(),
    "max_order": st.integers(1, 3),
    "penalties": st.just("dsari"),
}
DRAWN = {
    "variant": some_of(VARIANTS, most=2),
    "confidence": sometimes(one_of([0.95, 0.5]), 1),
    **dict.fromkeys(PAIRED_TESTS, sometimes(st.just(True))),
    "all_pairs": sometimes(st.just(True)),
    "resamples": one_of([None, 9, 99]),
    "baselines": sometimes(some_of(BASELINES, fewest=0)),
    "measures": sometimes(some_of(MEASURES), 2),
    "own_measure": sometimes(some_of(OWN, most=2), 2),
    "show": sometimes(some_of(SHOWN, most=3)),
    "width": sometimes(st.integers(0, 6)),
    "by_order": sometimes(st.just(True)),
    "score_only": sometimes(st.just(True), 9),
    "why": sometimes(st.just("easse"), 9),
    "by_references": sometimes(st.just(True), 9),
    "published": sometimes(st.just(True), 9),
    "explain": sometimes(st.just(1), 9),
    "sentences": sometimes(st.just("s.csv"), 9),
    "report": sometimes(st.just("x.json"), 9),
}
#: Those that not every format has.
OF_SOME_FORMATS = {"show", "width", "by_order", "by_references", "published", "why"}


@st.composite
def options_of_a_run(draw):
    choices = draw(st.fixed_dictionaries({}, optional=CHOICES).filter(lambda choices: len(choices) < 4))
    return choices | {name: value for name, value in draw(st.fixed_dictionaries(DRAWN)).items() if value is not None}


def arguments_of(options):
    """Return the arguments for options by their names in Python."""
    arguments = ["--table", "t.jsonl"]
    for name, value in options.items():
        values = value if isinstance(value, list) else [] if value is True else [str(value)]
        values = [f"{one}=own.jsonl" for one in values] if name == "own_measure" else values
        arguments += ["--no-lowercase"] if value is False else [flag_of(name), *values]
    return arguments


def write_inputs(corpus):
    """Write the texts as a table, and a number for each output, and return the numbers."""
    sources, outputs, references = corpus.values()
    texts = {"source": sources, "references": references}
    tables = [pd.DataFrame({"system": name, "output": column, **texts}) for name, column in outputs.items()]
    own = {name: [len(text) + place for text in texts] for place, (name, texts) in enumerate(outputs.items())}
    for path, table in {"t.jsonl": pd.concat(tables), "own.jsonl": pd.DataFrame(own)}.items():
        table.to_json(path, orient="records", lines=True, force_ascii=False)
    return own


def comparisons(corpus, options):
    """Return what `Scorer` says of the systems, by the label of the variant."""
    tests = [test for name, (test, _) in PAIRED_TESTS.items() if name in options]
    compared = {}
    for name in options["variant"]:
        scorer = Scorer(name, **{name: value for name, value in options.items() if name in CHOICES})
        compared[scorer.variant.label] = scorer.compare(
            **corpus,
            method=(*tests, "randomization" if "all_pairs" in options else None)[0],
            confidence=options.get("confidence", 0.95 if "report" in options else None),
            all_pairs="all_pairs" in options,
            resamples=options.get("resamples"),
        )
        baselines = scorer.baselines(sources=corpus["sources"], references=corpus["references"])
        compared[scorer.variant.label]["baselines"] = baselines
    return compared


def assert_resampled(row, known):
    for field in ("confidence_intervals", "differences", "p_values", "corrected_p_values", "difference_intervals"):
        values = {name: known.get(field, {}).get(name) for name in SCORES}
        assert {name: row.get(field, {}).get(name) for name in SCORES} == pytest.approx(values)


def assert_json(report, options, compared, own):
    """Assert that a report has what `Scorer` says, and the means of measures by system, here `own`."""
    assert Counter((row["name"], row["variant"]) for row in report["systems"]) == Counter(
        (name, label) for label, comparison in compared.items() for name in comparison["systems"]
    )
    has_tests = report["systems"][0]["segments"] > 1
    for row in report["systems"]:
        comparison = compared[row["variant"]]
        known = comparison["systems"][row["name"]]
        scores = {name: known[name] for name in SCORES} | own[row["name"]]
        assert {name: row["scores"][name] for name in scores} == pytest.approx(scores)
        assert row["signature"] == comparison["signature"]
        if has_tests:
            assert_resampled(row, known)
    for row in report["pairs"] if has_tests and "all_pairs" in options else ():
        (known,) = (pair for pair in compared[row["variant"]]["pairs"] if pair["systems"] == row["systems"])
        assert_resampled(row, known)
    for row in report["baselines"] if "copy" in options.get("baselines", ()) else ():
        known = compared[row["variant"]]["baselines"].get(row["name"], {})
        assert row["scores"].get("sari") == pytest.approx(known.get("sari"))


def check(corpus, options, run):
    """Run a command line in every format, without the options that are refused, and check what it prints."""
    numbers = write_inputs(corpus)
    while (process := run(*arguments_of(options))).returncode:
        message = refusal_of(process)
        assert len(message) <= 200
        assert re.search("got .+, expected |needs |does not go with ", message)
        del options[re.match("--([a-z-]+)", message)[1].replace("-", "_")]  # which must be there
    if "explain" in options:
        return
    out, compared = output_of(process), comparisons(corpus, options)
    scores = [row["sari"] for comparison in compared.values() for row in comparison["systems"].values()]
    printed = [f"{score:.{options.get('width', 2)}f}" for score in scores]
    if "score_only" in options:
        assert [line.split("\t")[0] for line in out.splitlines()] == printed
        return
    assert "sari" not in options.get("show", SHOWN) or all(score in out for score in printed)
    for name in ("markdown", "latex"):
        output_of(run(*arguments_of(options | {"format": name})))
    options = {name: value for name, value in options.items() if name not in OF_SOME_FORMATS}
    output_of(run(*arguments_of(options | {"format": "csv"})))
    report = json.loads(output_of(run(*arguments_of(options | {"format": "json"}))))
    measures = options.get("own_measure", ())
    assert_json(report, options, compared, {name: dict.fromkeys(measures, fmean(own)) for name, own in numbers.items()})


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(runs(60), phases=[Phase.reuse, Phase.generate])  # to shrink a command line takes minutes
@given(corpus=corpora(), options=options_of_a_run())
def test_what_is_accepted_has_the_numbers_of_the_scorer(tmp_path_factory, run_here, corpus, options):
    with contextlib.chdir(tmp_path_factory.mktemp("case")):
        check(corpus, dict(options), lambda *arguments: run_here(*arguments, folder="."))
