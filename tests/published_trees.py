"""Made-up checkouts: a test set in lines, in JSON Lines and in JSON, with outputs; and collections of ratings."""

import json
import random
from pathlib import Path

import numpy as np
import pandas as pd

WORDS = ["the", "a", "town", "river", "house", "saw", "made", "large", "big", "small", "old", ",", "of", "in", "."]
SENTENCES = 12
SYSTEMS = ("one", "two", "three")


def sentences(seed):
    """Each has its place as its first word, so that an output is near its source."""
    rng = random.Random(seed)
    return [" ".join([f"{place}th", *rng.choices(WORDS, k=rng.randint(2, 9))]) for place in range(SENTENCES)]


def lists(texts):
    return [[text] for text in texts]


ONE, TWO, THREE = map(sentences, SYSTEMS)
ALL = ONE + TWO + THREE
ORIGINALS = sentences("originals")
OF_MODELS = (ONE, TWO, THREE, sentences("four"))
GOLD, SPLIT = sentences("gold"), [sentences(f"split {number}") for number in range(4)]
REFERENCES = list(map(list, zip(*(sentences(f"reference {number}") for number in range(10)), strict=True)))
COLUMNS = {"sources": ORIGINALS, "references": REFERENCES}
#: The sources and references of another test set.
OF_2022 = [f"{text} Now" for text in sentences("2022")], sentences("references of 2022")
#: The means of the ratings in every collection: people differ from it by as much in both directions.
RATINGS = np.random.default_rng(7).integers(0, 9, 4 * SENTENCES).astype(float)


def write(path, content):
    """Write lines, JSON, or a table in the format of the path's ending."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, list):
        path.write_text("".join(f"{line}\n" for line in content), encoding="utf-8")
    elif isinstance(content, dict):
        path.write_text(json.dumps(content), encoding="utf-8")
    elif path.suffix == ".csv":
        content.to_csv(path, index=False)
    elif path.suffix in (".json", ".jsonl"):
        content.to_json(path, orient="records", lines=path.suffix == ".jsonl")
    else:
        content.to_excel(path, index=False)


def write_checkouts(folder: Path) -> Path:
    """Write all files into a folder, and return it."""
    for path, content in (_test_set() | _rated_sentences() | _rated_documents() | _rated_in_many_files()).items():
        write(folder / path, content)
    return folder


def _test_set():
    sets = "easse/easse/resources/data/test_sets"
    asset, hsplit = f"{sets}/asset/asset.test", f"{sets}/hsplit/hsplit.tok"
    columns = enumerate(zip(*REFERENCES, strict=True))
    run = {"source": ORIGINALS, "model_output": [[text, "another"] for text in ONE], "references": REFERENCES}
    return {
        f"{asset}.orig": ORIGINALS,
        **{f"{asset}.simp.{number}": list(column) for number, column in columns},
        f"{hsplit}.src": ORIGINALS,
        **{f"{hsplit}.{number}": texts for number, texts in enumerate(SPLIT, 1)},
        **{f"muss/{system}.pred": sentences(system) for system in SYSTEMS},
        "BLESS/run.jsonl": pd.DataFrame(run),
        "apio/test.json": pd.DataFrame(REFERENCES).add_prefix("ref").assign(text=ORIGINALS),
    }


def _rated_sentences():
    """Return files with the columns of all of them."""
    spelled = [*OF_2022[0]]
    spelled[3] += "s"
    columns = {
        ("system", "sys_name", "Input.system"): np.repeat(SYSTEMS, SENTENCES),
        ("original_id", "Input.id"): [*range(SENTENCES)] * 3,
        ("simp_sent", "simplification", "processed_generation", "generation", "Input.simplified"): ALL,
        ("original", "orig_sent"): [text.upper() for text in ORIGINALS] * 3,
        ("Input.original",): spelled * 3,
        ("simplicity_zscore", "rating", "Answer.simplicity"): RATINGS[: len(ALL)],
        ("rating_1_zscore", "rating_1_z_score"): RATINGS[: len(ALL)] - 1,
        ("rating_2_zscore", "rating_2_z_score"): RATINGS[: len(ALL)] + 1,
    }
    rows = pd.DataFrame({name: column for names, column in columns.items() for name in names})
    by_person = [rows.assign(**dict.fromkeys(("rating", "Answer.simplicity"), RATINGS[:36] + more)) for more in (-1, 1)]
    of_aspects = [*(part.assign(aspect="simplicity") for part in by_person), rows.assign(aspect="fluency", rating=0)]
    references = rows.assign(system="asset.test.simp", processed_generation=rows["original"])
    copies = rows[:SENTENCES].assign(system="copy", processed_generation=rows["original"])
    newer, of_2022 = rows[:SENTENCES].assign(system="T5-3B"), rows.assign(original=OF_2022[0] * 3)
    people = of_2022[:SENTENCES].assign(system="Human 1 Writing", generation=OF_2022[1])
    under = "LENS/experiments/meta_evaluation/data/simpeval_2022/references/test"
    return {
        "metaeval-simplification/data/simplicity_DA.csv": rows,
        "metaeval-simplification/data/structural_simplicity.csv": rows.assign(structural_simplicity=-RATINGS[:36]),
        "asset/human_ratings/human_ratings.csv": pd.concat([part[:SENTENCES] for part in of_aspects]),
        "LENS/data/simpeval_past.csv": pd.concat([rows, references, copies, newer]),
        f"{under}.src": OF_2022[0],
        f"{under}.dst": OF_2022[1],
        "LENS/data/simpeval_2022.csv": pd.concat([of_2022, people]),
        "LENS/data/simpDA_2022.csv": pd.concat(by_person),
    }


def _rated_documents():
    """Return documents, of which the last is its reference; paragraphs, of which two are no outputs; and pairs."""
    folder, means = "document-simplification/meta_evaluation/eval_datasets", RATINGS[:SENTENCES]

    def rated(references, aspects, **columns):
        values = zip(*aspects.values(), strict=True)
        rows = [[{"name": name, "agg_value": one} for name, one in zip(aspects, row, strict=True)] for row in values]
        return pd.DataFrame({"original": ORIGINALS, "references": lists(references), "ratings": rows, **columns})

    words = {"simplicity-word": means - 1, "simplicity-sent": means + 1}
    others = {"meaning": RATINGS[SENTENCES:24], "simplicity-overall": (RATINGS[-SENTENCES:] / 7).round(3)}
    outputs = {"Original": ORIGINALS, "ours": ONE, "Elementary": TWO}
    read = [
        rated(TWO, {"Correct answer (out of 3)": means}, simplification=own, system=name)
        for name, own in outputs.items()
    ]
    preferred = [int(place % 3 == 0) for place in range(SENTENCES)]
    pairs = {"simplification1": ONE, "simplification2": THREE}
    return {
        f"{folder}/dwiki_final.jsonl": rated([*TWO[:-1], ONE[-1]], words | others, simplification=ONE),
        f"{folder}/qa.jsonl": pd.concat(read),
        f"{folder}/cochrance_lj.jsonl": rated(TWO, {"readability": preferred}, **pairs),
    }


def _rated_in_many_files():
    """Return sheets with a remark below the sentences, a file for each language model, and a file with two parts."""
    files, means = {}, RATINGS.reshape(-1, SENTENCES)
    under = "MultiCochrane/data/eval_data/en/spreadsheets"
    names = ["Unnamed: 0", "original english sentence", "simple generated sentence", "simple gold sentence"]
    for system, outputs, own in zip(("system1_0", "system2_0.5", "system3_plain"), OF_MODELS, means, strict=False):
        for more, file in (
            (-1, f"anno1/Copy of en_{system}"),
            (0, f"anno2/en_{system}_anno2"),
            (1, f"anno3/en_{system}"),
        ):
            rows = [*zip(range(SENTENCES), ORIGINALS, outputs, GOLD, own + more, strict=True), (*[None] * 4, 0.5)]
            sheet = pd.DataFrame(rows, columns=[*names, "Simplicity"])
            files[f"{under}/{file}.xlsx"] = sheet.sample(frac=1, random_state=more + 1)  # in any order
    under = "human-eval-llm-simplification/annotation/likert/exclude_newsela"
    texts = {"source": [text.upper() for text in ORIGINALS], "source_file": ["asset", "turk", "simpa"] * 4}
    for model, outputs, own in zip(("gpt", "llama", "qwen", "t5"), OF_MODELS, means, strict=True):
        people = [{str(more): {"simplicity": mean + more} for more in (-1, 0, 1)} for mean in own]
        rows = pd.DataFrame({**texts, "simple": outputs, "label_annotations": people, "model": model})
        files[f"{under}/likert_{model}.json"] = rows
    systems = {
        "sentence_origin": np.repeat(ORIGINALS, 3),
        "sentence_reference": np.repeat(THREE, 3),
        "sentence_hypothesis": np.ravel([ONE, TWO, THREE], "F"),
        "system": ["BART", "EditNTS", "Reference"] * SENTENCES,
        **{f"score_simplicity_{rater}": np.repeat(means[0], 3) + rater - 2 for rater in (1, 2, 3)},
    }
    rows = pd.DataFrame(systems).to_dict("records")
    return files | {"jades/jades_manual_scores.json": {"valid": rows[:18], "test": rows[18:]}}
