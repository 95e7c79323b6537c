"""Options resolved and checked once, and the signature that names them."""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from numbers import Real
from typing import Any, ParamSpec, TypeVar

from .resampling import MOST_RESAMPLES, RESAMPLES, TESTS
from .sentences import SentenceSplitter, check_splitter, describe_splitter
from .tokenization import Text, Tokenizer, check_tokenizer, describe_tokenizer
from .variants import PENALTIES, VARIANTS, VERSION, Penalties, Variant, check_whole_number, resolve_variant

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def _version_of_sacrebleu() -> str:
    """Return it, or say at once that the package is missing, not when a signature is first wanted."""
    try:
        return version("sacrebleu")
    except PackageNotFoundError:
        raise ImportError("No module named 'sacrebleu', which signatures name") from None


_SACREBLEU = _version_of_sacrebleu()


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to score: a variant with the options on top of it, and what does not change a score.

    Attributes:
        variant: with the options in place of its own.
        threads: how many threads count; None for one.
    """

    variant: Variant
    threads: int | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The options that make these settings: see `resolve_settings`."""
        variant = self.variant
        return {
            "variant": variant.name,
            "level": variant.level,
            "deletion": variant.deletion,
            "zero_division": variant.zero_division,
            "tokenize": variant.tokenize,
            "lowercase": variant.lowercase,
            "max_order": variant.max_order,
            "penalties": variant.penalties,
            "sentence_splitter": variant.sentence_splitter,
            "threads": self.threads,
        }

    @functools.cached_property
    def text(self) -> Text:
        """How predictions and references become tokens."""
        return Text(self.variant.tokenize, self.variant.lowercase, self.variant.splits_on_space)

    @functools.cached_property
    def source_text(self) -> Text:
        """How sources become tokens."""
        return self.text._replace(tokenize=self.variant.source_tokenize or self.variant.tokenize)

    @property
    def penalties(self) -> Penalties | None:
        """What scores of segments are multiplied by; None for nothing."""
        return None if self.variant.penalties == "none" else PENALTIES[self.variant.penalties]

    @property
    def threads_here(self) -> int:
        """How many threads count."""
        return 1 if self.threads is None else self.threads

    def signature(self, nrefs: Iterable[int | str] = ()) -> str:
        """Return the line that names every choice behind a score, so that others can repeat it.

        Args:
            nrefs: the numbers of references that segments have.

        >>> resolve_settings("hf").signature({9})
        'SARI|variant:hf|nrefs:9|case:lc|tok:13a|order:4|level:sentence|del:precision|zero:1|sacrebleu:2.6.0|version:1.0.0'
        """
        variant, numbers = self.variant, set(nrefs)
        fields = {
            "variant": variant.name,
            "nrefs": numbers.pop() if len(numbers) == 1 else "var" if numbers else "?",
            "case": "lc" if variant.lowercase else "mixed",
            "tok": describe_tokenizer(variant.tokenize),
            "order": variant.max_order,
            "level": variant.level,
            "del": variant.deletion,
            "zero": repr(float(variant.zero_division)).removesuffix(".0"),
            **self._penalty_fields(),
            "sacrebleu": _SACREBLEU,
            "version": VERSION,
        }
        return "|".join(["SARI", *(f"{name}:{value}" for name, value in fields.items())])

    def _penalty_fields(self) -> dict[str, str]:
        if self.penalties is None:
            return {}
        return {"pen": self.variant.penalties, "split": describe_splitter(self.variant.sentence_splitter)}


@dataclass(frozen=True, kw_only=True)
class Resampling:
    """How intervals and p-values are made.

    Attributes:
        confidence: the level of intervals; None for none.
        method: of the paired test, a key of `TESTS`; None for none.
        resamples: how many draws make the intervals.
        trials: how many the test makes; None for as many as the number of comparisons wants.
        seed: of the random numbers.
    """

    confidence: float | None
    method: str | None
    resamples: int
    trials: int | None
    seed: int

    @property
    def is_wanted(self) -> bool:
        """Whether there is anything to resample for."""
        return self.confidence is not None or self.method is not None


def _remembering(resolve: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Make a function remember what came out of the same arguments not long before."""
    before: Any = functools.lru_cache(maxsize=64, typed=True)(resolve)

    @functools.wraps(resolve)
    def remembering(*arguments: _Parameters.args, **options: _Parameters.kwargs) -> _Result:
        try:
            return before(*arguments, **options)
        except TypeError:  # of a value that is not one to remember, or no valid one
            return resolve(*arguments, **options)

    return remembering


@_remembering
def resolve_settings(
    variant: str = "hf",
    *,
    level: str | None = None,
    deletion: str | None = None,
    zero_division: float | None = None,
    tokenize: Tokenizer | None = None,
    lowercase: bool | None = None,
    max_order: int = 4,
    penalties: str | None = None,
    sentence_splitter: SentenceSplitter = "punkt",
    threads: int | None = None,
) -> Settings:
    """Check options and return the settings that they make.

    Args:
        variant: the name of a published SARI; the next options are the variant's own where they are None.
        level: "sentence" averages the scores of segments, "corpus" sums their counts first.
        deletion: "precision" or "f1": the score of the delete operation.
        zero_division: the value of a precision or recall whose denominator is 0: from 0 to 1.
        tokenize: a tokenizer's name, or a callable from a text to the text with its tokens set apart by spaces.
        lowercase: whether texts are lowercased first.
        max_order: the longest n-grams.
        penalties: what a document that is too short or too long, or has too few or too many sentences, is multiplied
            by: "none", "dsari" or "plan_simp".
        sentence_splitter: how penalties find sentences: "punkt", or a callable from a text to the list of its
            sentences.
        threads: how many threads count; one where it is None.

    Raises:
        ValueError, TypeError: for a value that is none of the valid ones, which the message lists.
        ImportError: for a tokenizer whose package is not installed, and for penalties by Punkt where it is not.
    """
    resolved = resolve_variant(
        variant,
        level=level,
        deletion=deletion,
        zero_division=zero_division,
        tokenize=tokenize,
        lowercase=lowercase,
        max_order=max_order,
        penalties=penalties,
        sentence_splitter=sentence_splitter,
    )
    if resolved.penalties != "none" or sentence_splitter != "punkt":
        check_splitter(sentence_splitter)
    check_tokenizer(resolved.tokenize)
    if threads is not None:
        check_whole_number("threads", threads, least=1)
    return Settings(variant=resolved, threads=threads)


def settings_of_variants(**options: Any) -> tuple[dict[str, Settings], dict[str, str]]:
    """Return the settings of every variant that can be had with these options, and of each other one why it cannot.

    What is missing may be a package, or data; or the options are none for the variant.
    """
    found: dict[str, Settings] = {}
    left_out: dict[str, str] = {}
    for name in VARIANTS:
        try:
            found[name] = resolve_settings(name, **options)
        except (ValueError, ImportError) as error:
            left_out[name] = str(error)
    return found, left_out


#: The options that every door takes, with their defaults.
OPTIONS: dict[str, Any] = {
    name: parameter.default for name, parameter in inspect.signature(resolve_settings).parameters.items()
}


def settings_of(arguments: Mapping[str, Any]) -> Settings:
    """Return the settings that a function's arguments make, `locals()` at its beginning: see `resolve_settings`.

    >>> settings_of({"sources": ["a b"], "variant": "easse", "max_order": 2}).variant.max_order
    2
    """
    return resolve_settings(**{name: arguments[name] for name in OPTIONS if name in arguments})


@_remembering
def resolve_resampling(
    *, confidence: Any = None, method: Any = None, resamples: Any = None, seed: Any = 12345
) -> Resampling:
    """Check what resampling takes; `resamples`, where it is not None, is the number of draws of all there is.

    Raises:
        ValueError, TypeError: in one line that says what came and what was wanted.
    """
    if method is not None and (not isinstance(method, str) or method not in TESTS):
        raise ValueError(f"method: got {method!r}, wanted one of {', '.join(TESTS)}, or None")
    if confidence is not None:
        if isinstance(confidence, bool) or not isinstance(confidence, Real):
            raise TypeError(f"confidence: got {confidence!r}, wanted a number between 0 and 1")
        if not 0 < float(confidence) < 1:
            raise ValueError(f"confidence: got {confidence!r}, wanted a number between 0 and 1")
        confidence = float(confidence)
    if resamples is not None:
        check_whole_number("resamples", resamples, least=1, most=MOST_RESAMPLES)
        resamples = int(resamples)
    check_whole_number("seed", seed, least=0)
    return Resampling(
        confidence=confidence, method=method, resamples=resamples or RESAMPLES, trials=resamples, seed=int(seed)
    )


def check_flags(**flags: Any) -> None:
    """Refuse flags that are neither True nor False (TypeError)."""
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise TypeError(f"{name}: got {value!r}, wanted True or False")


def lists_options(door: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Make a method refuse an argument that it does not know in one line that lists those that it does.

    Where no variant is named, it gets the default variant of its object, if one was chosen.
    """
    names = [name for name in inspect.signature(door).parameters if name != "self"]
    known, takes_variant = frozenset(names), "variant" in names

    @functools.wraps(door)
    def checked(*arguments: _Parameters.args, **options: _Parameters.kwargs) -> _Result:
        """Call the function; `evaluate` adds to a docstring, so that there must be one."""
        if not known.issuperset(options):
            raise TypeError(f"{min(options.keys() - known)}: got an unknown argument, wanted one of {', '.join(names)}")
        chosen = getattr(arguments[0], "default_variant", None) if takes_variant and arguments else None
        if chosen is not None:
            options.setdefault("variant", chosen)
        return door(*arguments, **options)

    return checked
