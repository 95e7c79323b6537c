"""Made-up checkouts: a test set in lines, in JSON Lines and in JSON, with outputs; and collections of ratings."""

import csv
import json
import random
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

HAS_OPENPYXL = find_spec("openpyxl") is not None
WORDS = ["the", "a", "town", "river", "house", "saw", "made", "large", "big", "small", "old", ",", "of", "in", "."]
SENTENCES = 12
SYSTEMS = ("one", "two", "three")
TEST_SETS = "easse/easse/resources/data/test_sets"


def sentences(seed):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randint(3, 9))) for _ in range(SENTENCES)]


ORIGINALS = sentences("originals")
#: Ten references for each of them.
REFERENCES = list(map(list, zip(*(sentences(f"reference {number}") for number in range(10)), strict=True)))
OUTPUTS = [(system, place, output) for system in SYSTEMS for place, output in enumerate(sentences(system))]


def write_lines(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_table(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pd.DataFrame(rows)
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    elif HAS_OPENPYXL:
        table.to_excel(path, index=False)


def read_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def checkouts(folder: Path) -> Path:
    """Write all of them into a folder, and return it."""
    write_lines(folder / TEST_SETS / "asset/asset.test.orig", ORIGINALS)
    for number, column in enumerate(zip(*REFERENCES, strict=True)):
        write_lines(folder / TEST_SETS / f"asset/asset.test.simp.{number}", column)
    for system in SYSTEMS:
        write_lines(folder / "muss" / f"{system}.pred", sentences(system))
    texts = zip(ORIGINALS, sentences("one"), REFERENCES, strict=True)
    bless = [{"source": one, "model_output": [two, "another"], "references": own} for one, two, own in texts]
    write_lines(folder / "BLESS/run.jsonl", map(json.dumps, bless))
    names = ("text", *(f"ref{number}" for number in range(10)))
    named = [dict(zip(names, row, strict=True)) for row in zip(ORIGINALS, *zip(*REFERENCES, strict=True), strict=True)]
    write_lines(folder / "apio/test.json", [json.dumps(named)])
    _older_ratings(folder)
    _ratings_of_2022(folder / "LENS")
    _newer_ratings(folder)
    return folder


def _rated(rng, row, *names):
    return {**row, **{name: round(rng.uniform(-1, 100), 3) for name in names}}


def _older_ratings(folder):
    rng = random.Random(7)
    rows = [
        _rated(rng, {"sent_id": place + 1, "sys_name": system, "simp_sent": output}, "simplicity_zscore", "simplicity")
        for system, place, output in OUTPUTS
    ]
    write_table(folder / "metaeval-simplification/data/simplicity_DA.csv", rows)
    rows = [
        _rated(rng, {"original_sentence_id": place, "simplification": output, "aspect": aspect}, "rating")
        for place, output in enumerate(sentences("one"))
        for aspect in ("simplicity", "fluency")
        for _ in range(3)
    ]
    write_table(folder / "asset/human_ratings/human_ratings.csv", rows)
    raters = [f"rating_{number}_z_score" for number in range(1, 6)]
    references = [("asset.test.simp", place, output) for place, output in enumerate(ORIGINALS)]
    rows = [
        _rated(rng, {"original": ORIGINALS[place].upper(), "processed_generation": output, "system": system}, *raters)
        for system, place, output in (*OUTPUTS, *references)
    ]
    write_table(folder / "LENS/data/simpeval_past.csv", rows)


def _ratings_of_2022(folder):
    rng = random.Random(9)
    originals = [f"{text} Now" for text in sentences("2022")]
    for name, texts in (("src", originals), ("dst", sentences("references of 2022"))):
        write_lines(folder / f"experiments/meta_evaluation/data/simpeval_2022/references/test.{name}", texts)
    raters = [f"rating_{number}_zscore" for number in range(1, 4)]
    rows, others = [], []
    for system, place, output in OUTPUTS:
        row = {"original_id": place, "original": originals[place], "generation": output, "system": system}
        rows.append(_rated(rng, row, *raters))
        original = originals[place] + (" then" if place == 3 else "")
        row = {"Input.id": place, "Input.original": original, "Input.simplified": output, "Input.system": system}
        others += [_rated(rng, row, "Answer.simplicity") for _ in range(2)]
    write_table(folder / "data/simpeval_2022.csv", rows)
    write_table(folder / "data/simpDA_2022.csv", others)


def _newer_ratings(folder):
    """Documents, of which the last is its reference; sheets with a remark below the sentences; language models."""
    rng, (one, two, three) = random.Random(8), map(sentences, SYSTEMS)
    names = ("simplicity-word", "simplicity-sent", "meaning", "simplicity-overall")
    documents = [
        {
            "original": ORIGINALS[place],
            "simplification": output,
            "references": [output if place == SENTENCES - 1 else two[place]],
            "ratings": [{"name": name, "agg_value": rng.uniform(1, 5)} for name in names],
        }
        for place, output in enumerate(one)
    ]
    under = folder / "document-simplification/meta_evaluation/eval_datasets"
    write_lines(under / "dwiki_final.jsonl", map(json.dumps, documents))
    columns = ["original english sentence", "simple generated sentence", "simple gold sentence"]
    under = folder / "MultiCochrane/data/eval_data/en/spreadsheets"
    for system, texts in zip(("system1_0", "system2_0.5", "system3_plain"), (one, two, three), strict=True):
        rows = pd.DataFrame(zip(ORIGINALS, texts, two, strict=True), columns=columns).to_dict("records")
        for file in (f"anno1/Copy of en_{system}", f"anno2/en_{system}_anno2", f"anno3/en_{system}"):
            rated = [{**row, "Simplicity": rng.randint(-2, 2)} for row in rows]
            write_table(under / f"{file}.xlsx", [*rated, {"Simplicity": 0.5}])
    for model, texts in zip(("gpt", "llama", "qwen", "t5"), (one, two, three, ORIGINALS), strict=True):
        rows = [
            {
                "source": ORIGINALS[place].upper(),
                "simple": output,
                "source_file": ("asset", "turk", "simpa")[place % 3],
                "model": model,
                "label_annotations": {str(rater): {"simplicity": rng.randint(1, 3)} for rater in range(3)},
            }
            for place, output in enumerate(texts)
        ]
        under = folder / "human-eval-llm-simplification/annotation/likert/exclude_newsela"
        write_lines(under / f"likert_{model}.json", [json.dumps(rows)])
