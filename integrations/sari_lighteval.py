"""SARI for lighteval: a metric of the whole corpus, and a task with it, for `--custom-tasks`.

A score of the corpus comes without lighteval's standard errors, which would score it a thousand times;
`sari.compute(..., confidence=0.95)` makes intervals of the saved details.
"""

from pathlib import Path
from typing import Any, NamedTuple

from lighteval.metrics.metrics_corpus import CorpusLevelComputation
from lighteval.metrics.sample_preparator import Preparator
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc, SamplingMethod

from sari import Scorer

#: Which SARI; say so in a paper, or give the signature that `Scorer(VARIANT).signature(nrefs)` returns.
VARIANT = "easse"
DATA = Path(__file__).resolve().with_name("data")


class CorpusItem(NamedTuple):
    """The texts of a segment, from which the scores of the corpus are computed."""

    source: str
    prediction: str
    references: list[str]


class CorpusItemPreparator(Preparator):
    """Takes the texts of a segment from a document, whose choices are the references, and from a model's answer."""

    def prepare(self, doc: Doc, model_response: ModelResponse, **_: Any) -> CorpusItem:
        """Return the texts of a segment."""
        assert doc.specific is not None
        return CorpusItem(doc.specific["source"], model_response.final_text[0].strip(), doc.get_golds())


class CorpusSari(CorpusLevelComputation):
    """SARI of all segments together."""

    def __init__(self, variant: str):
        self.variant = variant

    def compute_corpus(self, items: list[CorpusItem]) -> dict[str, float]:
        """Return "sari", "keep", "delete" and "add" in percent."""
        columns = dict(zip(("sources", "predictions", "references"), map(list, zip(*items, strict=True)), strict=True))
        return {**Scorer(self.variant).compute(**columns)}


def prompt(row: dict[str, Any], task_name: str) -> Doc:
    """Return what the model is asked, and what people wrote."""
    references = row["references"]
    return Doc(
        task_name=task_name,
        query=f"Simplify: {row['source']}\nSimple:",
        choices=references,
        gold_index=list(range(len(references))),
        specific={"source": row["source"]},
    )


SARI = CorpusLevelMetric(
    metric_name="sari",
    higher_is_better=True,
    category=SamplingMethod.GENERATIVE,
    sample_level_fn=CorpusItemPreparator(),
    corpus_level_fn=CorpusSari(VARIANT),
)

TASKS_TABLE = [
    LightevalTaskConfig(
        name="sari_example",
        prompt_function=prompt,
        hf_repo=str(DATA),
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        generation_size=128,
        stop_sequence=["\n"],
        metrics=[SARI],
    )
]
