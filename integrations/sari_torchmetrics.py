"""SARI as a metric of torchmetrics: updated batch by batch, synchronised over processes, exact.

    metric = SariMetric()
    metric.update(sources=sources, preds=predictions, target=references)
    metric.compute()

What is synchronised is one tensor per process: the bytes of its `State`, which merge to exactly the state of the whole.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torchmetrics import Metric

from sari import SCORES, Scorer, State

Texts = Sequence[str]
References = Sequence[Sequence[str]] | Sequence[str]


class SariMetric(Metric):
    """SARI of texts, in percent: one tensor, as `LightningModule.log` and `MetricCollection` want it.

    Args:
        variant: which published SARI.
        score: "sari", "keep", "delete" or "add". In a `MetricCollection`, metrics of one variant share a state.
        scoring: other options of `sari.Scorer` by name, such as `{"tokenize": "none"}`.
        options: those of `torchmetrics.Metric`.
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    plot_lower_bound = 0.0
    plot_upper_bound = 100.0

    packed: list[torch.Tensor]

    def __init__(
        self, variant: str = "easse", score: str = "sari", *, scoring: dict[str, Any] | None = None, **options: Any
    ):
        super().__init__(**options)
        self._scorer = Scorer(variant, **(scoring or {}))
        if score not in SCORES:
            raise ValueError(f"score: got {score!r}, expected one of {', '.join(SCORES)}")
        self._score = score
        self.add_state("packed", default=[], dist_reduce_fx=None)

    def update(
        self,
        sources: Texts,
        predictions: Texts | None = None,
        references: References | None = None,
        *,
        preds: Texts | None = None,
        target: References | None = None,
    ) -> None:
        """Add segments: texts as `Scorer.compute` takes them. torchmetrics calls columns `preds` and `target`."""
        state = self._merged()
        columns = {"predictions": (predictions, preds), "references": (references, target)}
        given = {name: other if one is None else one for name, (one, other) in columns.items()}
        state.update(sources=sources, **given)
        self.packed = [self._bytes_of(state)]

    def compute(self) -> torch.Tensor:
        """Return the score of all segments of all processes, as float64 in percent; NaN before the first update."""
        state = self._merged()
        score = state.compute()[self._score] if state.segments else float("nan")
        return torch.tensor(score, dtype=torch.float64, device=self.device)

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Plot scores: those that `forward` returned, or that of `compute`."""
        return self._plot(val, ax)

    def sync(self, *arguments: Any, **options: Any) -> None:
        """Gather the states of all processes, as `Metric` does; one without segments takes part with an empty state."""
        self.packed = self.packed or [self._bytes_of(self._merged())]
        super().sync(*arguments, **options)

    def set_dtype(self, dst_type: str | torch.dtype) -> "SariMetric":  # noqa: ARG002
        """Change nothing: states are bytes, and scores are float64."""
        return self

    def signature(self) -> str:
        """Return the line that names every choice that the scores depend on."""
        return self._merged().signature()

    def _merged(self) -> State:
        whole = self._scorer.state()
        for data in self.packed:
            whole.merge(self._scorer.read_state(data.cpu().numpy().tobytes()))
        return whole

    def _bytes_of(self, state: State) -> torch.Tensor:
        return torch.frombuffer(bytearray(state.to_bytes()), dtype=torch.uint8).to(self.device)
