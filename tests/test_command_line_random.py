"""Command lines drawn at random: what is accepted has the numbers of `Scorer` in every format, the rest is refused."""

import contextlib
import csv
import io
import json
import re
import warnings
from collections import Counter
from dataclasses import dataclass, replace
from statistics import fmean

import pandas as pd
import pytest
from conftest import runs
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from sari.command_line.program import main
from sari.sari_scorer import Scorer
from sari.variants import SCORES, resolve_variant

WORDS = re.findall(r"\S+", 'the cat Cat sat big . , can\'t "a" a|b & 50% x_y # {z} é 漢字 =1 -2 \\n ~ [x] * 1,000')
NAMES = ["ours", "b low", "a|b", "x_y", "100%", "копия", "sari", '"q"', "p*", "sari_low", "=1+1", "@a"]
#: Names of own measures; the last three are taken, or would be columns of another.
OWN = ["mine", "bleu_2", "é", "sari_p_value", "bleu_low", "mine_low"]
KINDS = ["files", "tabs", "csv", "semicolons", "tsv", "jsonl", "json"]
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
    "--confidence": (sometimes(one_of(["0.95", "0.5"]), 1)),
    "--resamples": one_of([None, "9", "99"]),
    "--baselines": sometimes(st.lists(one_of(BASELINES), unique=True)),
    "--measures": sometimes(st.lists(one_of(MEASURES), min_size=1, unique=True), 2),
    "--own-measure": sometimes(st.lists(one_of(OWN), min_size=1, max_size=2, unique=True), 2),
    "--show": sometimes(st.lists(one_of(SHOWN), min_size=1, max_size=5, unique=True)),
    "--width": sometimes(st.integers(0, 6).map(str)),
    "--by-order": sometimes(st.just([])),
    "--all-pairs": sometimes(st.just([])),
    "--score-only": sometimes(st.just([]), 9),
    "--why": sometimes(st.just("easse"), 9),
    "--by-references": sometimes(st.just([]), 9),
    "--published": sometimes(st.just([]), 9),
    "--explain": sometimes(st.just("1"), 9),
    "--sentences": sometimes(st.just("s.csv"), 9),
    "--report": sometimes(st.just("r.json"), 9),
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
    """A corpus, how it is written, and options with their values."""

    corpus: dict
    kind: str
    variants: list[str]
    choices: dict
    test: str | None
    options: dict

    @property
    def method(self):
        default = "randomization" if "--all-pairs" in self.options else None
        return {"--paired-bs": "bootstrap", "--paired-ar": "randomization"}.get(self.test, default)

    @property
    def digits(self):
        return int(self.options.get("--width", 2))

    @property
    def show(self):
        return self.options.get("--show", SHOWN)

    @property
    def own(self):
        """The numbers of each own measure and system."""
        systems = self.corpus["predictions"].items()
        numbers = {system: [len(text) + place for text in texts] for place, (system, texts) in enumerate(systems)}
        return dict.fromkeys(self.options.get("--own-measure", ()), numbers)

    def arguments(self):
        """Return the options but for the texts and the format."""
        given = ["--variant", *self.variants, *([self.test] if self.test else [])]
        for name, value in self.choices.items():
            flag = f"--{'no-' if value is False else ''}{name.replace('_', '-')}"
            given += [flag] if isinstance(value, bool) else [flag, str(value)]
        for flag, value in self.options.items():
            values = [value] if isinstance(value, str) else value
            given += [flag, *(f"{name}=own.jsonl" if flag == "--own-measure" else name for name in values)]
        return given


@st.composite
def cases(draw):
    """Return a case; in three of four what would be refused is left out."""
    corpus, kind, test = (
        draw(corpora()),
        draw(one_of(KINDS)),
        draw(sometimes(one_of(["--paired-bs", "--paired-ar"]), 1)),
    )
    variants = draw(st.lists(one_of(VARIANTS), min_size=1, max_size=2, unique=True))
    choices = draw(st.fixed_dictionaries({}, optional=CHOICES).filter(lambda choices: len(choices) < 4))
    options = {flag: value for flag, values in DRAWN.items() if (value := draw(values)) is not None}
    if kind in ("files", "tabs") and any("=" in name for name in corpus["predictions"]):
        kind = "csv"  # NAME=FILE
    if not draw(one_of([True, True, True, False])):
        return Case(corpus, kind, variants, choices, test, options)

    def drop(*flags):
        for flag in flags:
            options.pop(flag, None)

    if len(corpus["predictions"]) == 1:
        test = None
        drop("--all-pairs")
    alone = {"--score-only", "--explain"} & options.keys()
    if alone:
        test = None
        drop(*DRAWN.keys() - {"--width", sorted(alone)[0]})
    if options.keys() & {"--why", "--sentences", "--report", "--explain"}:
        variants = ["hf"]
    if any(resolve_variant(name).level == "corpus" for name in variants) or "level" in choices:
        choices.pop("penalties", None)
    case = Case(corpus, kind, variants, choices, test, options)
    if not (case.method or "--confidence" in options):
        drop("--resamples")
    if not {*case.own} <= {*OWN[:3]}:
        drop("--own-measure")
    lacking = {"bleu"} - {*options.get("--measures", ())}
    lacking |= set() if "--confidence" in options else {"intervals"}
    lacking |= set() if case.method else {"difference", "p"}
    lacking |= set() if "--all-pairs" in options else {"group", "ranks"}
    if "--show" in options:
        options["--show"] = [*{*options["--show"]} - lacking] or ["sari"]
    return case


def write_inputs(case):
    """Write the texts as the kind of the case, and return the options that name them."""
    sources, outputs, references = case.corpus.values()
    for numbers in case.own.values():
        pd.DataFrame(numbers).to_json("own.jsonl", orient="records", lines=True, force_ascii=False)
    if case.kind in ("files", "tabs"):
        columns = {"sources": sources, **{f"o{place}": texts for place, texts in enumerate(outputs.values())}}
        if case.kind == "tabs":
            columns["r"] = ["\t".join(row) for row in references]
        else:
            columns |= {f"r{place}": texts for place, texts in enumerate(zip(*references, strict=True))}
        for name, texts in columns.items():
            with open(name, "w", encoding="utf-8", newline="\n") as file:
                file.writelines(f"{text}\n" for text in texts)
        named = [f"{name}=o{place}" for place, name in enumerate(outputs)]
        people = sorted(name for name in columns if name.startswith("r"))
        tabs = ["--tab-separated"] if case.kind == "tabs" else []
        return ["--sources", "sources", "--outputs", *named, "--references", *people, *tabs]
    rows = [
        {"system": name, "source": source, "output": texts[row], "references": people}
        for row, (source, people) in enumerate(zip(sources, references, strict=True))
        for name, texts in outputs.items()
    ]
    frame = pd.DataFrame(rows)
    if case.kind not in ("jsonl", "json"):
        people = pd.DataFrame(frame.pop("references").tolist())
        frame = frame.join(people.rename(columns=lambda place: f"reference_{place}"))
    path = f"t.{'csv' if case.kind == 'semicolons' else case.kind}"
    {
        "csv": lambda: frame.to_csv(path, index=False),
        "semicolons": lambda: frame.to_csv(path, sep=";", index=False),
        "tsv": lambda: frame.to_csv(path, sep="\t", index=False),
        "jsonl": lambda: frame.to_json(path, orient="records", lines=True, force_ascii=False),
        "json": lambda: frame.to_json(path, orient="records", indent=1),
    }[case.kind]()
    return ["--table", path]


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


def is_refused(case, arguments, status, out, err):
    """Check a refusal, and return whether there is one."""
    if status == 0:
        return False
    assert (status, out) == (2, "")
    (line,) = err.splitlines()
    message = line.removeprefix("score.py: error: ")
    assert len(message) <= 200
    apart = re.fullmatch("(.+) does not go with (.+)", message)
    needed = re.fullmatch("(.+) needs (.+)", message)
    if apart:
        assert is_given(case, arguments, apart[1]), message
        assert is_given(case, arguments, apart[2]), message
    elif needed:
        assert is_given(case, arguments, needed[1]), message
        assert not any(is_given(case, arguments, name) for name in re.split(", | or (?!more)", needed[2])), message
    else:
        assert any(message.startswith(begin) and holds(case) for begin, holds in REASONS.items()), message
    return True


def is_given(case, arguments, name):
    """Return whether an option is given, with its value if it has one, or several systems or variants."""
    if name.startswith("two or more "):
        return len(case.corpus["predictions"] if name.endswith("systems") else case.variants) > 1
    option, *value = name.split()
    kept = arguments[arguments.index(option) + 1 :] if option in arguments else []
    return option in arguments and set(value) <= set(kept)


#: The beginnings of other refusals, and whether they are true.
REASONS = {
    "--show: got 'bleu', expected some of ": lambda case: "bleu" not in case.options.get("--measures", ()),
    "--show: got ": lambda case: not {*case.show} & {*SCORES, "bleu", "difference"},
    "--penalties: got 'dsari' with level 'corpus'": lambda case: "penalties" in case.choices,
    "--level: got 'corpus' with penalties 'dsari'": lambda case: "dsari" in case.variants and "level" in case.choices,
    "--own-measure: got the name ": lambda case: {*case.own} & {*OWN[3:]},
    "--why: got 'easse', which is the variant itself": lambda case: "easse" in case.variants,
}


def comparisons(case):
    """Return what `Scorer` says of the systems, by the label of the variant."""
    level = case.options.get("--confidence", 0.95 if "--report" in case.options else None)
    found = {}
    for name in case.variants:
        scorer = Scorer(name, **case.choices)
        found[scorer.variant.label] = scorer.compare(
            **case.corpus,
            method=case.method,
            confidence=level and float(level),
            all_pairs="--all-pairs" in case.options,
            resamples=int(case.options.get("--resamples", 0)) or None,
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
        (row["system"].removeprefix("'"), row["variant"]): row
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
    for row in [*found["systems"], *found.get("baselines", ())]:
        for name in {*SCORES} & {*case.show} & row["scores"].keys():
            figures[f"{row['scores'][name]:.{case.digits}f}"] -= 1
        ends = row.get("confidence_intervals", {}).get("sari")
        if is_plain and ends and {"sari", "intervals"} <= {*case.show}:
            assert "[{:.{digits}f}, {:.{digits}f}]".format(*ends, digits=case.digits) in text
    assert min(figures.values()) >= 0, [figure for figure, times in figures.items() if times < 0]


def check(case):
    """Run a command line in every format, and check what it prints."""
    accepted, texts = {}, write_inputs(case)
    for name in ("json", "text", "markdown", "latex", "csv"):
        options = {flag: value for flag, value in case.options.items() if flag not in ("--show", "--width")}
        shown = replace(case, options=options) if name == "json" else case
        line = [*texts, *shown.arguments(), "--format", name]
        status, out, err = run(*line)
        if not is_refused(case, line, status, out, err):
            accepted[name] = out
    if not accepted or "--explain" in case.options:
        return
    expected = comparisons(case)
    if "--score-only" in case.options:
        scores = [row["sari"] for compared in expected.values() for row in compared["systems"].values()]
        printed = [line.split("\t")[0] for line in accepted["text"].splitlines()]
        assert sorted(printed) == sorted(f"{score:.{case.digits}f}" for score in scores)
        return
    found = json.loads(accepted["json"])
    check_json(case, found, expected)
    if "csv" in accepted:
        check_csv(accepted["csv"], found)
    for name in {"text", "markdown", "latex"} & accepted.keys():
        check_text(case, accepted[name], found, is_plain=name != "latex")
    if "text" in accepted and len(found["systems"]) > 1:
        assert figures_in(accepted["text"]) == figures_in(accepted["markdown"])


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(runs(60), phases=[Phase.reuse, Phase.generate])  # to shrink a command line takes minutes
@given(case=cases())
def test_what_is_accepted_has_the_numbers_of_the_scorer_and_what_is_refused_says_why(tmp_path_factory, case):
    with contextlib.chdir(tmp_path_factory.mktemp("case")):
        check(case)
