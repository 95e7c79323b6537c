"""Command lines drawn at random: what is accepted has the numbers of `Scorer`, the rest is refused."""

import contextlib
import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import takewhile
from statistics import fmean

import pandas as pd
import pytest
from conftest import runs
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from programs import output_of, refusal_of

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
TEXTS = st.lists(one_of(WORDS), min_size=1, max_size=8).map(" ".join)


def sometimes(values, times=3):
    """Return None most of the time."""
    return st.one_of(*[st.none()] * times, values)


#: Systems and references as functions of a source and its row.
CHANGES = [
    lambda text, _: text,
    lambda text, row: " ".join(text.split()[: 1 + row % len(text.split())]),
    lambda text, _: " ".join([*text.split()[1:], text.split()[0]]),
    lambda text, row: f"{text} {WORDS[row % len(WORDS)]}",
]


@st.composite
def corpora(draw):
    """Return columns of one to four systems, with copies and equal ones among them."""
    size, width = draw(one_of([1, 2, 3, 5, 12, 60])), draw(st.integers(1, 3))
    few = draw(st.lists(TEXTS, min_size=min(size, 6), max_size=min(size, 6)))
    sources = [f"{few[row % len(few)]} {row // len(few)}" for row in range(size)]
    names = draw(st.lists(one_of(NAMES), min_size=1, max_size=4, unique=True))
    changes = draw(st.lists(one_of(CHANGES), min_size=len(names) + width, max_size=len(names) + width))
    columns = [[change(text, row) for row, text in enumerate(sources)] for change in changes]
    references = list(map(list, zip(*columns[-width:], strict=True)))
    return {"sources": sources, "predictions": dict(zip(names, columns, strict=False)), "references": references}


#: Options that are drawn one by one: the values of each, and how often it is there.
DRAWN = {
    "--variant": st.lists(one_of(VARIANTS), min_size=1, max_size=2, unique=True),
    "--confidence": sometimes(one_of([["0.95"], ["0.5"]]), 1),
    "--paired-bs": sometimes(st.just([])),
    "--paired-ar": sometimes(st.just([]), 2),
    "--all-pairs": sometimes(st.just([])),
    "--resamples": one_of([None, ["9"], ["99"]]),
    "--baselines": sometimes(st.lists(one_of(BASELINES), unique=True)),
    "--measures": sometimes(st.lists(one_of(MEASURES), min_size=1, unique=True), 2),
    "--own-measure": sometimes(st.lists(one_of(OWN), min_size=1, max_size=2, unique=True), 2),
    "--show": sometimes(st.lists(one_of(SHOWN), min_size=1, max_size=3, unique=True)),
    "--width": sometimes(st.integers(0, 6).map(lambda digits: [str(digits)])),
    "--by-order": sometimes(st.just([])),
    "--score-only": sometimes(st.just([]), 9),
    "--why": sometimes(st.just(["easse"]), 9),
    "--by-references": sometimes(st.just([]), 9),
    "--published": sometimes(st.just([]), 9),
    "--explain": sometimes(st.just(["1"]), 9),
    "--sentences": sometimes(st.just(["s.csv"]), 9),
    "--report": sometimes(st.just(["x.json"]), 9),
}
CHOICES = {
    "level": one_of(["sentence", "corpus"]),
    "deletion": one_of(["precision", "f1"]),
    "zero_division": one_of([0, 0.5]),
    "tokenize": one_of(["none", "13a", "intl", "char"]),
    "lowercase": st.booleans(),
    "max_order": st.integers(1, 3),
    "penalties": st.just("dsari"),
}


@dataclass
class Case:
    """A corpus, scoring options by their names in Python, and others with their values."""

    corpus: dict
    choices: dict
    given: dict

    @property
    def method(self):
        default = "randomization" if {"--paired-ar", "--all-pairs"} & {*self.given} else None
        return "bootstrap" if "--paired-bs" in self.given else default

    @property
    def own(self):
        """The numbers of each own measure and system."""
        systems = self.corpus["predictions"].items()
        numbers = {system: [len(text) + place for text in texts] for place, (system, texts) in enumerate(systems)}
        return dict.fromkeys(self.given.get("--own-measure", ()), numbers)

    def without(self, *flags):
        """Return the case without these options."""
        choices = {name: value for name, value in self.choices.items() if flag_of(name) not in flags}
        given = {flag: values for flag, values in self.given.items() if flag not in flags}
        return replace(self, choices=choices, given=given)

    def arguments(self):
        """Return the options but for the texts and the format."""
        arguments = []
        for name, value in self.choices.items():
            arguments += [f"--no-{name}"] if value is False else [flag_of(name), *[str(value)][: value is not True]]
        for flag, values in self.given.items():
            arguments += [flag, *(f"{name}=own.jsonl" if flag == "--own-measure" else name for name in values)]
        return arguments


def flag_of(name):
    return f"--{name.replace('_', '-')}"


@st.composite
def cases(draw):
    choices = draw(st.fixed_dictionaries({}, optional=CHOICES).filter(lambda choices: len(choices) < 4))
    given = {flag: draw(values) for flag, values in DRAWN.items()}
    return Case(draw(corpora()), choices, {flag: values for flag, values in given.items() if values is not None})


def write_inputs(case):
    """Write the texts as a table, and own measures, and return the option that names the table."""
    sources, outputs, references = case.corpus.values()
    rows = [
        {"system": name, "source": source, "output": texts[row], "references": people}
        for row, (source, people) in enumerate(zip(sources, references, strict=True))
        for name, texts in outputs.items()
    ]
    for path, table in {"t.jsonl": rows, "own.jsonl": next(iter(case.own.values()), [])}.items():
        pd.DataFrame(table).to_json(path, orient="records", lines=True, force_ascii=False)
    return ["--table", "t.jsonl"]


def refused_option(case, arguments, message):
    """Check a refusal, and return the option that it names."""
    assert len(message) <= 200
    named = re.fullmatch("(.+?)(?:: got .*| needs (.+)| does not go with (.+))", message)
    assert is_given(case, arguments, named[1]), message
    assert not any(is_given(case, arguments, name) for name in re.split(", | or (?!more)", named[2] or "")), message
    assert named[3] is None or is_given(case, arguments, named[3]), message
    return named[1].split()[0]


def is_given(case, arguments, name):
    """Return whether an option is given, with its value if it has one, or several systems or variants."""
    if name.startswith("two or more "):
        return len(case.corpus["predictions"] if name.endswith("systems") else case.given.get("--variant", "1")) > 1
    option, _, value = name.partition(" ")
    if option not in arguments:
        return False
    values = takewhile(lambda one: not one.startswith("--"), arguments[arguments.index(option) + 1 :])
    return value in ["", *values]


def comparisons(case):
    """Return what `Scorer` says of the systems, by the label of the variant."""
    level = case.given.get("--confidence", ["0.95"] if "--report" in case.given else [None])[0]
    found = {}
    for name in case.given.get("--variant", ["easse"]):
        scorer = Scorer(name, **case.choices)
        found[scorer.variant.label] = scorer.compare(
            **case.corpus,
            method=case.method,
            confidence=level and float(level),
            all_pairs="--all-pairs" in case.given,
            resamples=int(case.given.get("--resamples", [0])[0]) or None,
            details=True,
        )
        texts = {name: case.corpus[name] for name in ("sources", "references")}
        found[scorer.variant.label]["baselines"] = scorer.baselines(**texts)
    return found


RESAMPLED = ("confidence_intervals", "differences", "p_values", "corrected_p_values", "difference_intervals")


def check_json(case, found, expected):
    assert Counter((row["name"], row["variant"]) for row in found["systems"]) == Counter(
        (name, label) for label, compared in expected.items() for name in compared["systems"]
    )
    of_systems = [(row, expected[row["variant"]]["systems"][row["name"]]) for row in found["systems"]]
    of_pairs = [
        next((row, pair) for pair in expected[row["variant"]]["pairs"] if pair["systems"] == row["systems"])
        for row in found.get("pairs", ())
    ]
    for row, known in of_systems:
        assert row["scores"].items() >= {name: pytest.approx(known[name]) for name in SCORES}.items()
        assert row["signature"] == expected[row["variant"]]["signature"]
        for name, numbers in case.own.items():
            assert row["scores"][name] == pytest.approx(fmean(numbers[row["name"]]))
    for row, known in [*of_systems, *of_pairs] if len(case.corpus["sources"]) > 1 else ():
        for field in RESAMPLED:
            assert {name: row.get(field, {}).get(name) for name in SCORES} == pytest.approx(
                {name: known.get(field, {}).get(name) for name in SCORES}
            )
    for row in found.get("baselines", ()):
        known = expected[row["variant"]]["baselines"].get(row["name"], {})
        assert row["scores"].get("sari") == pytest.approx(known.get("sari"))


#: Options that not every format has.
OF_SOME_FORMATS = ["--show", "--width", "--by-order", "--by-references", "--published", "--why"]


def check(case, run):
    """Run a command line in every format, without the options that are refused, and check what it prints."""
    texts = write_inputs(case)
    while (process := run(*texts, *case.arguments())).returncode:
        arguments = [*texts, *case.arguments(), "--format", "text"]
        case = case.without(refused_option(case, arguments, refusal_of(process)))
    if "--explain" in case.given:
        return
    out = output_of(process)
    expected = comparisons(case)
    scores = [row["sari"] for compared in expected.values() for row in compared["systems"].values()]
    printed = [f"{score:.{case.given.get('--width', ['2'])[0]}f}" for score in scores]
    if "--score-only" in case.given:
        assert [line.split("\t")[0] for line in out.splitlines()] == printed
        return
    assert "sari" not in case.given.get("--show", SHOWN) or all(score in out for score in printed)
    for name in ("markdown", "latex", "csv", "json"):
        formatted = case.without(*OF_SOME_FORMATS) if name in ("json", "csv") else case
        out = output_of(run(*texts, *formatted.arguments(), "--format", name))
    check_json(case, json.loads(out), expected)


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(runs(60), phases=[Phase.reuse, Phase.generate])  # to shrink a command line takes minutes
@given(case=cases())
def test_what_is_accepted_has_the_numbers_of_the_scorer_and_what_is_refused_says_why(tmp_path_factory, run_here, case):
    with contextlib.chdir(tmp_path_factory.mktemp("case")):
        check(case, lambda *arguments: run_here(*arguments, folder="."))
