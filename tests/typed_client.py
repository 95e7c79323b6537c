"""A program that uses the package. Type checkers find a fault in each line that says so, and nowhere else."""

from typing import Any, assert_type

import sari
from sari import DetailedResult, Result, SariWarning, Scorer, Scores, State, SystemComparison

texts: dict[str, Any] = {"sources": ["a b c"], "predictions": ["a b"], "references": [["a b", "a"]]}
sources, predictions, references = texts.values()
scorer = Scorer("easse", level="corpus", lowercase=True)

plain = scorer.compute(sources=sources, predictions=predictions, references=references)
assert_type(plain, Result)
print(plain["sari"] + 1)
print(plain["signature"])  # wrong: not requested (pyright)

detailed = scorer.compute(sources=sources, predictions=predictions, references=references, details=True)
assert_type(detailed, DetailedResult)
assert_type(detailed["signature"], str)
assert_type(detailed["orders"][0]["keep"]["f1"], float)
intervals = scorer.compute(sources=sources, predictions=predictions, references=references, confidence=0.95)
assert_type(intervals["confidence_intervals"]["sari"], list[float])
in_one_call = sari.compute(
    sources=sources, predictions=predictions, references=references, variant="hf", baselines=True
)
assert_type(in_one_call["baselines"]["copy"], Scores)

comparison = scorer.compare(sources=sources, predictions={"a": predictions}, references=references)
assert_type(comparison, SystemComparison)
print(comparison["systems"]["a"]["p_values"]["sari"], comparison["systems"]["a"]["sari"])
print(comparison["sytems"])  # wrong: misspelt

state = scorer.state(sentences=True)
assert_type(state, State)
state.update(sources=sources, predictions=predictions, references=references)
assert_type(state.compute(details=True)["sentences"]["sari"], list[float])

found = scorer.find_variant(34.37, sources=sources, predictions=predictions, references=references, progress=False)
print(found["hits"][0]["sari"], found["hits"][0]["signature"].lower())
step = scorer.explain_difference("hf", sources=sources, predictions=predictions, references=references)["steps"][0]
assert_type(step["change"], float | None)
assert_type(scorer.explain(source="a b c", prediction="a b", references=["a"])["source"][0]["text"], str)

with scorer.collect_warnings() as collected:
    assert_type(collected, list[SariWarning])
assert_type(scorer.with_options(lowercase=False), Scorer)


class Own(Scorer):
    """Methods that return a scorer return one of the same class."""


assert_type(Own("hf").with_options(max_order=2), Own)
assert_type(Own.from_signature("SARI|variant:easse"), Own)

Scorer("esse")  # wrong: misspelt
Scorer("easse", levle="corpus")  # wrong: misspelt
Scorer("easse", level="document")  # wrong: no level
scorer.with_options(lowercaze=True)  # wrong: misspelt
scorer.compute(sources=sources, predictions=predictions, references=references, detail=True)  # wrong: misspelt
sari.compute(sources=sources, predictions=predictions, references=references, tokenise="13a")  # wrong: misspelt
scorer.compare(sources=sources, predictions={}, references=references, method="t-test")  # wrong: no test
