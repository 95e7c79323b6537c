"""What `evaluate` asks of the metric modules in its own repository, asked of this one.

In the sense of huggingface/evaluate, tests/test_metric_common.py: a module is imported as the loader imports it, shows
no `**` parameter in `_compute`, and its docstring's examples run.
"""

import doctest
import importlib
import inspect

import evaluate
import pytest
from conftest import ROOT

TEXTS = {"sources": ["a b c", "d e"], "predictions": ["a b", "e"], "references": [["a b", "a"], ["d"]]}


@pytest.fixture(scope="module")
def module():
    found = evaluate.loading.evaluation_module_factory(str(ROOT / "sari.py"), module_type="metric")
    return importlib.import_module(found.module_path)


def test_compute_names_every_parameter(module):
    metric = evaluate.loading.import_main_class(module.__name__)
    parameters = inspect.signature(metric._compute).parameters
    assert inspect.Parameter.VAR_KEYWORD not in {parameter.kind for parameter in parameters.values()}
    assert {"sources", "predictions", "references", "variant"} <= set(parameters)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_examples_of_the_module_run(module, monkeypatch):
    load, asked = evaluate.load, []

    def load_ours(path, *arguments, **options):
        asked.append(path)
        return load(str(ROOT / "sari.py"), *arguments, **options)

    monkeypatch.setattr(evaluate, "load", load_ours)
    results = doctest.testmod(module, raise_on_error=False)
    assert results.attempted > 1
    assert results.failed == 0
    assert set(asked) == {"sari"}


@pytest.mark.parametrize(
    "change",
    [
        *({name: None} for name in TEXTS),
        *({name: [None, None]} for name in TEXTS),
        *({name: [1, 2]} for name in TEXTS),
        *({name: [0.5, 1.5]} for name in TEXTS),
        {"references": [["a", None], ["b"]]},
        {"references": [["a", 1], ["b"]]},
        {"predictions": ["a"]},
        {"references": ["a"]},
        {"sources": [], "predictions": [], "references": []},
    ],
    ids=str,
)
def test_input_that_other_modules_refuse_with_a_value_error(sari, change):
    with pytest.raises(ValueError, match=r"^(sources|predictions|references)"):
        sari.compute(**{**TEXTS, **change})


@pytest.mark.parametrize("missing", TEXTS)
def test_a_missing_column_is_refused_with_a_value_error(sari, missing):
    columns = {name: column for name, column in TEXTS.items() if name != missing}
    for method in (sari.compute, sari.add_batch):
        with pytest.raises(ValueError, match=f"^{missing}: "):
            method(**columns)
