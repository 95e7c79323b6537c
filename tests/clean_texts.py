"""Texts that cause no warning, changes of them, and the warnings that they cause."""

from programs import example_corpus, with_system

#: The example corpus with the output of its better system.
CLEAN = with_system(example_corpus(), "rewriting")


def tokenized(text):
    return text.replace(",", " ,").replace(".", " .")


def changed(columns, change):
    """Apply a function to every text."""
    return {
        "sources": list(map(change, columns["sources"])),
        "predictions": list(map(change, columns["predictions"])),
        "references": [list(map(change, row)) for row in columns["references"]],
    }


def warned(scorer, columns):
    """Return the warnings that scoring texts causes."""
    with scorer.collect_warnings() as found:
        scorer.compute(**columns)
    return found
