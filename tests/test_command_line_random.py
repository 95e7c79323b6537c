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
BASELINES = ["copy", "empty", "unrelated", "perfect", "references", "each"]
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
    rows = list({row[0]: row for row in rows}.values())  # rows of a table are paired by their texts
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
    "by": sometimes(st.just("the domain"), 2),
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


#: The columns of tables by their roles: the usual ones, others, and a column for each system.
COLUMNS = {
    "usual": {"source": "Source", "prediction": "output", "references": "references", "system": "system"},
    "others": {"source": "Komplex =1", "prediction": "references", "references": "people", "system": "sys_name"},
    "wide": {"source": "source", "references": "gold"},
}


def arguments_of(options, layout, names):
    """Return the arguments for options by their names in Python, and for a table in one of `COLUMNS`."""
    columns = [f"{role}={name}" for role, name in COLUMNS[layout].items()]
    columns += [f"system={','.join(names)}" if len(names) > 1 else f"prediction={names[0]}"] if layout == "wide" else []
    arguments = ["--table", "t.jsonl", *(["--columns", *columns] if layout != "usual" else [])]
    of_own = [f".{name}" for name in names] if layout == "wide" else [""]
    for name, value in options.items():
        values = value if isinstance(value, list) else [] if value is True else [str(value)]
        if name == "own_measure":
            values = [f"{one}={','.join(f'own{end}' for end in of_own)}" for one in values]
        arguments += ["--no-lowercase"] if value is False else [flag_of(name), *values]
    return arguments


def write_table(corpus, layout, seed):
    """Write the texts as a table with shuffled rows.

    Return them in the order of its first system, with the domain of each segment, and the numbers of each system.
    """
    rng, columns, names = random.Random(seed), COLUMNS[layout], list(corpus["predictions"])
    segments = [
        {"source": source, "references": references, "domain": rng.choice(["a", "é b"])}
        for source, references in zip(corpus["sources"], corpus["references"], strict=True)
    ]
    cells = [
        {**segment, "system": name, "prediction": corpus["predictions"][name][place], "own": rng.randint(0, 9)}
        for place, segment in enumerate(segments)
        for name in names
    ]
    shared = {columns["source"]: "source", columns["references"]: "references", "the domain": "domain"}
    if layout == "wide":
        of_segments = [cells[place : place + len(names)] for place in range(0, len(cells), len(names))]
        rng.shuffle(of_segments)
        cells = [cell for of_segment in of_segments for cell in of_segment]
        rows = [
            {name: row[0][cell] for name, cell in shared.items()}
            | {cell["system"]: cell["prediction"] for cell in row}
            | {f"own.{cell['system']}": cell["own"] for cell in row}
            for row in of_segments
        ]
    else:
        rng.shuffle(cells)
        shared |= {columns["prediction"]: "prediction", columns["system"]: "system", "own": "own"}
        rows = [{name: cell[role] for name, role in shared.items()} for cell in cells]
    pd.DataFrame(rows).to_json("t.jsonl", orient="records", lines=True, force_ascii=False)
    first = [cell for cell in cells if cell["system"] == cells[0]["system"]]
    order = [cell["source"] for cell in first]
    of_systems = {}
    for cell in sorted(cells, key=lambda cell: order.index(cell["source"])):
        of_systems.setdefault(cell["system"], []).append(cell)
    of_systems = {name: of_systems[name] for name in dict.fromkeys(cell["system"] for cell in cells)}
    if layout == "wide" and len(names) == 1:
        of_systems = {"t": first}
    texts = {"sources": order, "references": [cell["references"] for cell in first]}
    predictions = {name: [cell["prediction"] for cell in column] for name, column in of_systems.items()}
    own = {name: [cell["own"] for cell in column] for name, column in of_systems.items()}
    return {**texts, "predictions": predictions}, [cell["domain"] for cell in first], own


def part_of(corpus, numbers, places):
    """Return some of the segments, and their numbers by system."""

    def select(column):
        return [column[place] for place in places]

    predictions = {name: select(texts) for name, texts in corpus["predictions"].items()}
    texts = {"sources": select(corpus["sources"]), "references": select(corpus["references"])}
    return {**texts, "predictions": predictions}, {name: select(column) for name, column in numbers.items()}


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


def check(corpus, options, layout, seed, run):
    """Run a command line in every format, without the options that are refused, and check what it prints."""
    names = list(corpus["predictions"])
    corpus, domains, numbers = write_table(corpus, layout, seed)

    def arguments(**more):
        return arguments_of({**options, **more}, layout, names)

    while (process := run(*arguments())).returncode:
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
        output_of(run(*arguments(format=name)))
    options = {name: value for name, value in options.items() if name not in OF_SOME_FORMATS}
    output_of(run(*arguments(format="csv")))
    report = json.loads(output_of(run(*arguments(format="json"))))
    parts = {None: (report, range(len(domains)))}
    for part in report.get("subsets", ()):
        parts[part["value"]] = part, [place for place, domain in enumerate(domains) if domain == part["value"]]
    assert list(parts) == [None, *(dict.fromkeys(domains) if "by" in options else ())]
    for part, places in parts.values():
        texts, own = part_of(corpus, numbers, places)
        means = {name: dict.fromkeys(options.get("own_measure", ()), fmean(column)) for name, column in own.items()}
        assert_json(part, options, comparisons(texts, options), means)


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(runs(40), phases=[Phase.reuse, Phase.generate])  # to shrink a command line takes minutes
@given(corpus=corpora(), options=options_of_a_run(), layout=one_of([*COLUMNS]), seed=st.integers(0, 99))
def test_what_is_accepted_has_the_numbers_of_the_scorer(tmp_path_factory, run_here, corpus, options, layout, seed):
    with contextlib.chdir(tmp_path_factory.mktemp("case")):
        check(corpus, dict(options), layout, seed, lambda *arguments: run_here(*arguments, folder="."))
