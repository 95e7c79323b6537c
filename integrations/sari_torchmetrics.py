"""SARI as a metric of torchmetrics: updated batch by batch, synchronised over processes, exact.

    metric = SariMetric("easse")
    metric.update(sources, predictions, references)
    metric.compute()["sari"]

What is synchronised is one tensor per process: the bytes of its `State`, which merge to exactly the state of the whole.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torchmetrics import Metric

from sari.corpus_statistics import State
from sari.sari_scorer import Scorer


class SariMetric(Metric):
    """SARI of texts, in percent.

    Args:
        variant: which SARI.
        scoring: other options of `sari.Scorer` by name, such as `{"tokenize": "none"}`.
        options: those of `torchmetrics.Metric`.
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = True

    packed: list[torch.Tensor]

    def __init__(self, variant: str = "easse", *, scoring: dict[str, Any] | None = None, **options: Any):
        super().__init__(**options)
        self._scorer = Scorer(variant, **(scoring or {}))
        self.add_state("packed", default=[], dist_reduce_fx=None)

    def update(
        self, sources: Sequence[str], predictions: Sequence[str], references: Sequence[Sequence[str]] | Sequence[str]
    ) -> None:
        """Add segments: texts as `sari.compute` takes them."""
        state = self._merged()
        state.update(sources=sources, predictions=predictions, references=references)
        self.packed = [self._bytes_of(state)]

    def compute(self) -> dict[str, torch.Tensor]:
        """Return "sari", "keep", "delete" and "add" of all segments of all processes, as float64 in percent."""
        scores = self._merged().compute()
        return {name: torch.tensor(score, dtype=torch.float64, device=self.device) for name, score in scores.items()}

    def sync(self, *arguments: Any, **options: Any) -> None:
        """Gather the states of all processes, as `Metric` does; one without segments takes part with an empty state."""
        self.packed = self.packed or [self._bytes_of(self._merged())]
        super().sync(*arguments, **options)

    def set_dtype(self, dst_type: str | torch.dtype) -> "SariMetric":  # noqa: ARG002
        """Change nothing: states are bytes, and scores are float64."""
        return self

    @property
    def signature(self) -> str:
        """The line that names every choice that the scores depend on."""
        return self._merged().signature

    def _merged(self) -> State:
        whole = self._scorer.state()
        for data in self.packed:
            whole.merge(self._scorer.read_state(data.cpu().numpy().tobytes()))
        return whole

    def _bytes_of(self, state: State) -> torch.Tensor:
        return torch.frombuffer(bytearray(state.to_bytes()), dtype=torch.uint8).to(self.device)
