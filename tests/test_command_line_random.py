"""Command lines drawn at random: what is accepted has the numbers of `Scorer` in every format, the rest is refused."""

import contextlib
import csv
import io
import json
import re
import warnings
from collections import Counter
from dataclasses import dataclass, replace
from itertools import takewhile
from statistics import fmean

import pandas as pd
import pytest
from conftest import runs
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from sari.command_line.program import main
from sari.sari_scorer import Scorer
from sari.variants import SCORES

WORDS = re.findall(r"\S+", 'the cat Cat sat big . , can\'t "a" a|b & 50% x_y # {z} é 漢字 =1 -2 \\n ~ [x] * 1,000')
NAMES = ["ours", "b low", "a|b", "x_y", "100%", "копия", "sari", '"q"', "p*", "sari_low", "=1+1", "@a"]
#: Names of own measures; the last three are taken, or would be columns of another.
OWN = ["mine", "bleu_2", "é", "sari_p_value", "bleu_low", "mine_low"]
KINDS = ["files", "csv", "tsv", "jsonl"]
BASELINES = ["copy", "empty", "unrelated", "references", "each"]
MEASURES = ["bleu", "compression_ratio", "exact_copies", "splits"]
VARIANTS = ["easse", "hf", "set", "xu2016", "star", "t2t", "dsari"]
SHOWN = [*SCORES, "intervals", "difference", "p", "group", "ranks", "bleu"]

one_of = st.sampled_from
TEXTS = st.lists(one_of(WORDS), min_size=1, max_size=8).map(" ".join)


def sometimes(values, times=3):
    """Return None most of the time."""
    return st.one_of(*[st.none()] * times, values)


@st.composite
def corpora(draw):
    """Return columns of one to four systems, with copies and equal ones among them."""
    size = draw(one_of([1, 2, 3, 5, 12, 60]))
    few = draw(st.lists(TEXTS, min_size=min(size, 6), max_size=min(size, 6)))
    sources = [few[row % len(few)] + f" {row // len(few)}" for row in range(size)]
    width = draw(st.integers(1, 3))
    changes = draw(st.lists(one_of(["", "drop", "swap", "more"]), min_size=width + 4, max_size=width + 4))

    def changed(how, text, row):
        words = text.split()
        return {
            "": text,
            "drop": " ".join(words[: 1 + row % len(words)]),
            "swap": " ".join([*words[1:], words[0]]),
            "more": f"{text} {WORDS[row % len(WORDS)]}",
        }[how]

    def column(how):
        return [changed(how, text, row) for row, text in enumerate(sources)]

    names = draw(st.lists(one_of(NAMES), min_size=1, max_size=4, unique=True))
    outputs = {name: column(how) for name, how in zip(names, changes, strict=False)}
    references = list(map(list, zip(*map(column, changes[-width:]), strict=True)))
    return {"sources": sources, "predictions": outputs, "references": references}


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
    """A corpus, how it is written, scoring options by their names in Python, and others with their values."""

    corpus: dict
    kind: str
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
    corpus, kind = draw(corpora()), draw(one_of(KINDS))
    if any("=" in name for name in corpus["predictions"]):
        kind = "csv"  # NAME=FILE
    choices = draw(st.fixed_dictionaries({}, optional=CHOICES).filter(lambda choices: len(choices) < 4))
    given = {flag: draw(values) for flag, values in DRAWN.items()}
    return Case(corpus, kind, choices, {flag: values for flag, values in given.items() if values is not None})


def write_inputs(case):
    """Write the texts as the kind of the case, and return the options that name them."""
    sources, outputs, references = case.corpus.values()
    for numbers in case.own.values():
        pd.DataFrame(numbers).to_json("own.jsonl", orient="records", lines=True, force_ascii=False)
    if case.kind == "files":
        columns = {"sources": sources, **{f"o{place}": texts for place, texts in enumerate(outputs.values())}}
        columns |= {f"r{place}": texts for place, texts in enumerate(zip(*references, strict=True))}
        for name, texts in columns.items():
            with open(name, "w", encoding="utf-8", newline="\n") as file:
                file.writelines(f"{text}\n" for text in texts)
        named = [f"{name}=o{place}" for place, name in enumerate(outputs)]
        return ["--sources", "sources", "--outputs", *named, "--references", "r*"]
    rows = [
        {"system": name, "source": source, "output": texts[row], "references": people}
        for row, (source, people) in enumerate(zip(sources, references, strict=True))
        for name, texts in outputs.items()
    ]
    frame = pd.DataFrame(rows)
    if case.kind == "jsonl":
        frame.to_json("t.jsonl", orient="records", lines=True, force_ascii=False)
    else:
        people = pd.DataFrame(frame.pop("references").tolist()).rename(columns=lambda place: f"reference_{place}")
        frame.join(people).to_csv(f"t.{case.kind}", sep={"csv": ",", "tsv": "\t"}[case.kind], index=False)
    return ["--table", f"t.{case.kind}"]


def run(*arguments):
    """Return status, standard output, and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            status = main(arguments)
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), err.getvalue()


def refused_option(case, arguments, out, err):
    """Check a refusal, and return the option that it names."""
    (line,) = err.splitlines()
    message = line.removeprefix("score.py: error: ")
    assert (out, len(message) <= 200) == ("", True)
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


def check_csv(text, found):
    """Check that the rows have the figures of JSON."""
    rows = {
        (re.sub("^(baseline: |')", "", row["system"]), row["variant"]): row
        for row in csv.DictReader(io.StringIO(text))
        if row["sari"]
    }
    for known in [*found["systems"], *found.get("baselines", ())]:
        if "sari" in known["scores"]:
            row = rows[known["name"], known["variant"]]
            for field, ending in zip(
                ("scores", *RESAMPLED[1:4]), ("", "_difference", "_p_value", "_corrected_p_value"), strict=True
            ):
                for name, value in known.get(field, {}).items():
                    assert float(row[f"{name}{ending}"]) == value
            for name, ends in known.get("confidence_intervals", {}).items():
                assert [float(row[f"{name}_low"]), float(row[f"{name}_high"])] == ends


def figures_in(text):
    """Return the figures of tables: not those of signatures, notes and warnings."""
    lines = [line for line in text.partition("SARI|")[0].splitlines() if not line.startswith(("> ", "- "))]
    return Counter(re.findall(r"\d+\.\d+", "\n".join(lines)))


def check_text(case, text, found, *, is_plain):
    """Check that SARI and its operations are there, and the intervals of SARI, as far as they are shown."""
    figures = Counter(re.findall(r"(?<![\d.])\d+(?:\.\d+)?", text))
    digits, show = int(case.given.get("--width", [2])[0]), {*case.given.get("--show", SHOWN)}
    for row in [*found["systems"], *found.get("baselines", ())]:
        for name in {*SCORES} & show & row["scores"].keys():
            figures[f"{row['scores'][name]:.{digits}f}"] -= 1
        ends = row.get("confidence_intervals", {}).get("sari")
        if is_plain and ends and {"sari", "intervals"} <= show:
            assert "[{:.{digits}f}, {:.{digits}f}]".format(*ends, digits=digits) in text
    assert min(figures.values()) >= 0, [figure for figure, times in figures.items() if times < 0]


#: Options that not every format has.
OF_SOME_FORMATS = ["--show", "--width", "--by-order", "--by-references", "--published", "--why"]


def check(case):
    """Run a command line in every format, without the options that are refused, and check what it prints."""
    texts = write_inputs(case)
    status, out, err = run(*texts, *case.arguments())
    while status:
        assert status == 2
        case = case.without(refused_option(case, [*texts, *case.arguments(), "--format", "text"], out, err))
        status, out, err = run(*texts, *case.arguments())
    if "--explain" in case.given:
        return
    expected = comparisons(case)
    if "--score-only" in case.given:
        digits = case.given.get("--width", ["2"])[0]
        scores = [row["sari"] for compared in expected.values() for row in compared["systems"].values()]
        assert [line.split("\t")[0] for line in out.splitlines()] == [f"{score:.{digits}f}" for score in scores]
        return
    printed = {"text": out}
    for name in ("json", "csv", "markdown", "latex"):
        formatted = case.without(*OF_SOME_FORMATS) if name in ("json", "csv") else case
        status, printed[name], err = run(*texts, *formatted.arguments(), "--format", name)
        assert status == 0, err
    found = json.loads(printed["json"])
    check_json(case, found, expected)
    check_csv(printed["csv"], found)
    for name in ("text", "markdown", "latex"):
        check_text(case, printed[name], found, is_plain=name != "latex")
    if len(found["systems"]) > 1:
        assert figures_in(printed["text"]) == figures_in(printed["markdown"])


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(runs(60), phases=[Phase.reuse, Phase.generate])  # to shrink a command line takes minutes
@given(case=cases())
def test_what_is_accepted_has_the_numbers_of_the_scorer_and_what_is_refused_says_why(tmp_path_factory, case):
    with contextlib.chdir(tmp_path_factory.mktemp("case")):
        check(case)
