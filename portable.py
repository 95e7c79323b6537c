"""How what was computed travels to other processes and machines: as bytes of plain numbers, and in pickles."""

import importlib
import json
import os
import sys
from collections.abc import Mapping
from functools import partial
from importlib.util import find_spec
from numbers import Integral
from operator import getitem, methodcaller
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

#: The package by whose name pickles ask for a module of ours.
_PACKAGE = "sari"
#: What is said of other bytes than those of a state.
NO_STATE = "data: got bytes that are no state or not all of one, wanted those of State.to_bytes"


class Packed(NamedTuple):
    """What `pack` put together: plain data, and arrays by name."""

    head: dict[str, Any]
    arrays: dict[str, np.ndarray]


class _Call:
    """A call that is made when it is unpickled."""

    def __init__(self, function: Any, *arguments: Any):
        self._call = function, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self._call


def pack(head: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    r"""Return a line of JSON, and behind it the float64 numbers of arrays, the lowest byte first.

    >>> pack({"segments": 2}, {"rows": np.ones((0, 4))})
    b'{"segments": 2, "shapes": {"rows": [0, 4]}}\n'
    """
    shapes = {name: array.shape for name, array in arrays.items()}
    line = json.dumps({**head, "shapes": shapes}, default=_plain_number)
    return b"".join([line.encode(), b"\n", *(array.astype("<f8").tobytes() for array in arrays.values())])


def unpack(data: bytes, wanted: str) -> Packed:
    """Return what `pack` put together.

    Args:
        data: the bytes.
        wanted: a key of the head by which they are known.

    Raises:
        ValueError: for other bytes, or not all of them.
    """
    try:
        line, _, body = bytes(data).partition(b"\n")
        head = json.loads(line)
        shapes = {**head["shapes"]} if wanted in head else {}
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes.values()])
        numbers = np.frombuffer(body, "<f8").astype(float)
        arrays = [part.reshape(shape) for part, shape in zip(np.split(numbers, ends), shapes.values(), strict=False)]
        is_whole = bool(shapes) and ends[-1] == len(numbers)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        is_whole = False
    if not is_whole:
        raise ValueError(NO_STATE)
    return Packed(head, dict(zip(shapes, arrays, strict=True)))


def check_form(head: Mapping[str, Any], form: Mapping[str, Any]) -> None:
    """Refuse a head of another form.

    Args:
        head: what `unpack` returns.
        form: what is wanted of each key: a type, a tuple of forms that will do, a list with the form of all items, a
            list with a form for each, or a dict of such keys.

    Raises:
        ValueError: where there are other keys, or one holds something else.

    >>> check_form({"rows": [[1, 2], 0]}, {"rows": [(int, [int])]})
    """
    if not _fits(head, form):
        raise ValueError(NO_STATE)


def pickled_call(module: str, call: methodcaller, loader: "partial[Any] | None") -> tuple[Any, ...]:
    """Return what `__reduce__` may return, so that a pickle can be opened on any machine.

    What is called, when the pickle is opened, is a function of a module of the package, or of the metric that
    `evaluate.load` has loaded there. Where `evaluate` is there, and so is the file that the metric came from, as in
    another process of the same machine, the metric is loaded from it.

    Args:
        module: whose function it is.
        call: of that function.
        loader: what loads, from the path that is its argument, the metric, with a method of the function's name.
    """
    ways = {"importlib": methodcaller("import_module", f"{_PACKAGE}.{module}")}
    chosen: Any = 0
    if loader is not None:
        ways["evaluate"] = methodcaller("load", *loader.args)
        chosen = _Call(all, (_Call(os.path.exists, loader.args[0]), _Call(find_spec, "evaluate")))
    # Only the chosen name is imported.
    owner = _Call(importlib.import_module, _Call(getitem, (*ways,), chosen))
    way = _Call(getitem, (*ways.values(),), chosen)
    return call, (_Call(methodcaller("__call__", owner), way),)


def make_findable(name: str) -> None:
    """Let pickles find a module by the package's name, where a metric was loaded and the package is not installed.

    Args:
        name: of the module, as it was imported.
    """
    if _PACKAGE not in sys.modules:
        spec = find_spec(_PACKAGE)
        if spec is None or spec.origin is None or not spec.submodule_search_locations:  # none, a folder, or a file
            package = sys.modules[_PACKAGE] = ModuleType(_PACKAGE, "What pickles find of a metric that was loaded.")
            package.__path__ = []
    if not getattr(sys.modules.get(_PACKAGE), "__path__", True):
        sys.modules[f"{_PACKAGE}.{name.rpartition('.')[2]}"] = sys.modules[name]


def _fits(value: Any, form: Any) -> bool:
    if isinstance(form, tuple):
        return any(_fits(value, each) for each in form)
    if isinstance(form, Mapping):
        is_alike = isinstance(value, dict) and value.keys() == form.keys()
        return is_alike and all(_fits(value[name], each) for name, each in form.items())
    if isinstance(form, list):
        if not isinstance(value, list):
            return False
        forms = form * len(value) if len(form) == 1 else form
        return len(value) == len(forms) and all(map(_fits, value, forms))
    return type(value) is form


def _plain_number(number: Any) -> Any:
    return int(number) if isinstance(number, Integral) else float(number)
