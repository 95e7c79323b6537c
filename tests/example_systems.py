"""The example corpus with its two systems."""

from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def example_systems():
    """Return the example corpus and its two systems."""
    read = {
        name: (EXAMPLES / f"{name}.txt").read_text().splitlines()
        for name in ("sources", "outputs", "outputs.rewriting", "references.0", "references.1")
    }
    references = list(map(list, zip(read["references.0"], read["references.1"], strict=True)))
    systems = {"deleting": read["outputs"], "rewriting": read["outputs.rewriting"]}
    return {"sources": read["sources"], "predictions": systems, "references": references}


def with_system(corpus, name):
    """Return the corpus with the predictions of one system."""
    return {**corpus, "predictions": corpus["predictions"][name]}
