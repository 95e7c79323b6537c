"""What texts of a language need: scripts, tokenizers of other packages, and sentence splitters.

Tokenizers and splitters are imported when they are used. Only small modules are imported here, so that a command line
can list the choices at once.
"""

import logging
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from .messages import RefusedImportError, RefusedValueError, fault, how_to_install, short_line, short_repr

Tokenizer = str | Callable[[str], str | Iterable[Any]]
SentenceSplitter = str | Callable[[str], Sequence[str]]

# ---- Scripts --------------------------------------------------------------------------------------------------------


class Script(NamedTuple):
    """A script, and what SARI needs to know of it.

    Attributes:
        languages: the languages that are written in it.
        letters: its letters, as the inside of a character class of `re`.
        marks: what ends its sentences.
        tokenizers: values of `tokenize` that fit, the best first.
        spaces: whether spaces part its words.
        users: who publishes figures with which of these tokenizers.
    """

    languages: str
    letters: str
    marks: str
    tokenizers: tuple[str, ...]
    spaces: bool = True
    users: str = ""


#: The scripts by name. Documents, warnings and the search for the variant of a figure read this table.
SCRIPTS = {
    "Latin": Script(
        "English, German, French, Spanish, Italian, Portuguese, Turkish, Vietnamese, ...",
        "A-Za-z\u00aa-\u00b6\u00b8-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff",
        ".!?",
        ("13a", "intl"),
        users="`13a`: Hugging Face's module, EASSE, MUSS (French, Spanish, Portuguese); `spacy-de`: EASSE-DE, DEplain",
    ),
    "Greek": Script(
        "Greek", "\u0370-\u0373\u0376-\u037d\u0386\u0388-\u03e1\u03f0-\u03ff\u1f00-\u1fff", ".!;", ("intl", "spacy-el")
    ),
    "Cyrillic": Script("Russian, Ukrainian, Bulgarian, Serbian", "\u0400-\u052f", ".!?", ("intl", "spacy-ru")),
    "Armenian": Script("Armenian", "\u0531-\u0556\u0560-\u0588", "։՞՜", ("intl", "spacy-hy")),
    "Hebrew": Script("Hebrew", "\u05d0-\u05ea\u05ef-\u05f2", ".!?", ("intl", "spacy-he")),
    "Arabic": Script(
        "Arabic, Persian, Urdu, Pashto",
        "\u0620-\u064a\u066e-\u06d3\u06d5\u06ee\u06ef\u06fa-\u06ff\u0750-\u077f\u08a0-\u08c9",
        ".!؟۔",
        ("intl", "spacy-ar"),
    ),
    "Devanagari": Script(
        "Hindi, Marathi, Nepali, Sanskrit", "\u0900-\u0963\u0971-\u097f", "।॥.!?", ("intl", "spacy-hi")
    ),
    "Bengali": Script("Bengali, Assamese", "\u0980-\u09e3\u09f0\u09f1", "।॥.!?", ("intl", "spacy-bn")),
    "Gurmukhi": Script("Punjabi", "\u0a01-\u0a5e\u0a70-\u0a75", "।॥.!?", ("intl",)),
    "Gujarati": Script("Gujarati", "\u0a81-\u0ae3\u0af9-\u0aff", ".!?", ("intl", "spacy-gu")),
    "Oriya": Script("Odia", "\u0b01-\u0b63\u0b71", "।॥.!?", ("intl",)),
    "Tamil": Script("Tamil", "\u0b82-\u0bd7", ".!?", ("intl", "spacy-ta")),
    "Telugu": Script("Telugu", "\u0c00-\u0c63", ".!?", ("intl", "spacy-te")),
    "Kannada": Script("Kannada", "\u0c80-\u0ce3\u0cf1-\u0cf3", ".!?", ("intl", "spacy-kn")),
    "Malayalam": Script("Malayalam", "\u0d00-\u0d63\u0d7a-\u0d7f", ".!?", ("intl", "spacy-ml")),
    "Sinhala": Script("Sinhala", "\u0d81-\u0ddf\u0df2\u0df3", ".!?", ("intl", "spacy-si")),
    "Georgian": Script("Georgian", "\u10a0-\u10fa\u10fc-\u10ff\u1c90-\u1cbf", ".!?", ("intl",)),
    "Ethiopic": Script("Amharic, Tigrinya", "\u1200-\u135f\u1380-\u138f", "።፧.!?", ("intl", "spacy-am")),
    "Hangul": Script("Korean", "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3", ".!?", ("ko-mecab", "char")),
    "Kana": Script(
        "Japanese",
        "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff",
        "。！？",
        ("ja-mecab", "spacy-ja", "char"),
        spaces=False,
        users="`ja-mecab`: MATCHA",
    ),
    "Han": Script(
        "Chinese; Japanese, with kana",
        "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff",
        "。！？",
        ("zh", "jieba:lcut", "char"),
        spaces=False,
        users="`jieba:lcut`: CSS",
    ),
    "Thai": Script("Thai", "\u0e01-\u0e3a\u0e40-\u0e4e", "", ("pythainlp:word_tokenize", "char"), spaces=False),
    "Lao": Script("Lao", "\u0e81-\u0ece\u0edc-\u0edf", "", ("char",), spaces=False),
    "Khmer": Script("Khmer", "\u1780-\u17d3", "។៕", ("khmernltk:word_tokenize", "char"), spaces=False),
    "Myanmar": Script("Burmese", "\u1000-\u103f\u1050-\u108f", "။", ("char",), spaces=False),
    "Tibetan": Script("Tibetan, Dzongkha", "\u0f00\u0f40-\u0fbc", "།༎", ("char",), spaces=False),
}

_FEW_LETTERS = 0.1  # a script with a smaller share of the letters is that of names and quotations
_FEW_KANA = 0.05  # texts with fewer kana for each Han letter are Chinese, others Japanese
_LETTERS = re.compile("|".join(f"(?P<{name}>[{row.letters}]+)" for name, row in SCRIPTS.items()))


def count_letters(texts: Iterable[str]) -> Counter[str]:
    """Return how many letters of each script the texts have, by the name of the script.

    >>> count_letters(["Вот 3 cats", "да"])
    Counter({'Cyrillic': 5, 'Latin': 4})
    """
    counts: Counter[str] = Counter()
    for text in texts:
        for match in _LETTERS.finditer(text):
            counts[str(match.lastgroup)] += len(match[0])
    return counts


def main_scripts(texts: Iterable[str]) -> list[str]:
    """Return the names of the scripts of texts, that of most letters first; "Latin" for no letters.

    A script with less than a tenth of the letters is left out. Texts with kana are Japanese: "Kana", although many of
    their letters are Han.

    >>> main_scripts(["东京 (Tokyo)"]), main_scripts(["东京是日本国的首都, 有许多桥 (T)"])
    (['Latin', 'Han'], ['Han'])
    >>> main_scripts(["東京の橋"]), main_scripts(["3"])
    (['Kana'], ['Latin'])
    """
    counts = count_letters(texts)
    if counts["Kana"] > _FEW_KANA * counts["Han"]:
        counts["Kana"] += counts.pop("Han", 0)
    return [name for name, number in counts.most_common() if number >= _FEW_LETTERS * counts.total()] or ["Latin"]


def fitting_tokenizers(texts: Iterable[str]) -> list[str]:
    """Return the tokenizers that fit the scripts of texts, those of the script with most letters first.

    >>> fitting_tokenizers(["東京の橋"]), fitting_tokenizers(["东京 (Tokyo)"])
    (['ja-mecab', 'spacy-ja', 'char'], ['13a', 'intl', 'zh', 'jieba:lcut', 'char'])
    """
    return list(dict.fromkeys(chain.from_iterable(SCRIPTS[name].tokenizers for name in main_scripts(texts))))


# ---- Tokenizers and splitters ---------------------------------------------------------------------------------------


class ExternalTokenizer(NamedTuple):
    """A tokenizer of another package.

    Attributes:
        module, name: its class.
        install: what pip installs. If a model is fetched, the module that reads it has the same name.
        method, arguments: the method to call with a text, and its other arguments. It returns the text with spaces
            between tokens.
        separates_marks: whether it separates marks from words, and expects spaces between words. Texts that are
            tokenized already then cause a warning.
        splits: the scripts that it splits where no spaces are, besides those whose row of `SCRIPTS` names it.
        fetches: the address of the model that sacreBLEU fetches when the tokenizer is made; empty for none.
        signed: its name in signatures; empty for what its method `signature` returns, or else its name here and the
            version of `install`.
    """

    module: str
    name: str
    install: str
    method: str = "__call__"
    arguments: tuple[tuple[str, object], ...] = ()
    separates_marks: bool = False
    splits: Collection[str] = ()
    fetches: str = ""
    signed: str = ""


def _of_sacrebleu(module: str, name: str, **row: Any) -> ExternalTokenizer:
    """Return a row of `EXTERNAL_TOKENIZERS` for a class of sacreBLEU."""
    return ExternalTokenizer(f"sacrebleu.tokenizers.tokenizer_{module}", name, **{"install": "sacrebleu", **row})


_FLORES_101 = "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model"
_SENTENCEPIECE = partial(_of_sacrebleu, "spm", install="sentencepiece", splits=SCRIPTS)
EXTERNAL_TOKENIZERS = {
    "intl": _of_sacrebleu("intl", "TokenizerV14International", separates_marks=True),
    "char": _of_sacrebleu("char", "TokenizerChar"),
    "zh": _of_sacrebleu("zh", "TokenizerZh"),
    "ja-mecab": _of_sacrebleu("ja_mecab", "TokenizerJaMecab", install="sacrebleu[ja]"),
    "ko-mecab": _of_sacrebleu("ko_mecab", "TokenizerKoMecab", install="sacrebleu[ko]"),
    "spm": _SENTENCEPIECE("TokenizerSPM", fetches=_FLORES_101, signed="flores101"),
    "flores101": _SENTENCEPIECE("Flores101Tokenizer", fetches=_FLORES_101, signed="flores101"),
    "flores200": _SENTENCEPIECE(
        "Flores200Tokenizer", fetches="https://tinyurl.com/flores200sacrebleuspm", signed="flores200"
    ),
    "spBLEU-1K": _SENTENCEPIECE(
        "spBLEU1KTokenizer",
        fetches="https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model",
        signed="spBLEU-1K",
    ),
    "moses": ExternalTokenizer(
        "sacremoses",
        "MosesTokenizer",
        "sacremoses",
        "tokenize",
        (("return_str", True), ("escape", False)),
        separates_marks=True,
        splits=("Han",),
    ),
}

#: The tokenizers of tokenization.py; "none" leaves a text as it is.
BUILT_IN_TOKENIZERS = ("13a", "none")

#: The names that `tokenize` takes, besides those of spaCy.
TOKENIZERS = (*BUILT_IN_TOKENIZERS, *EXTERNAL_TOKENIZERS)

#: The pattern of the names of spaCy's tokenizers: "spacy-de" is that of `spacy.blank("de")`.
SPACY = "spacy-[a-z]{2,3}"

# What splits texts of a language in place of spaCy's own rules, and its dictionary.
_PACKAGES_OF_SPACY = {
    "ja": ("SudachiPy", "sudachidict_core"),
    "ko": ("natto-py",),  # and a dictionary of MeCab, which is no package of Python
    "th": ("pythainlp",),
    "vi": ("pyvi",),
}

PUNKT = "punkt"
_HOW_TO_GET_PUNKT = (
    f"sentence_splitter: {PUNKT!r} needs NLTK and its data: pip install nltk && python -m nltk.downloader punkt_tab; "
    "or pass a callable from a text to the list of its sentences"
)

#: What callables begin with in signatures, unless they are a function of a module.
CUSTOM = "custom."
_FUNCTION_OF_A_MODULE = re.compile(r"\w+(\.\w+)*:\w+(\.\w+)*")


def is_code(value: object) -> bool:
    """Return whether a tokenizer or splitter is a callable or the name of one, as "module:function".

    Such a name imports the module: it is taken from the caller, and never from a file, a signature or a visitor.

    >>> is_code("jieba:lcut"), is_code(str.split), is_code("13a")
    (True, True, False)
    """
    return callable(value) or (isinstance(value, str) and bool(_FUNCTION_OF_A_MODULE.fullmatch(value)))


def check_function(option: str, value: Tokenizer | SentenceSplitter) -> None:
    """Refuse a tokenizer or splitter that cannot be used here. What has to be fetched is fetched when it is used.

    Raises:
        ImportError: where its package is not installed.
        ValueError: where a module has no such function, or a tokenizer cannot be set up.
    """
    row = EXTERNAL_TOKENIZERS.get(value) if isinstance(value, str) else None
    if row is not None and row.fetches:
        try:
            import_module(row.install)
        except ImportError:
            raise RefusedImportError(_missing_package(option, str(value), row.install)) from None
    elif value not in BUILT_IN_TOKENIZERS:
        function_of(option, value)


def function_of(option: str, value: Tokenizer | SentenceSplitter) -> Callable[[str], Any]:
    """Return the function that a tokenizer or splitter is, loaded if it is a name: see `check_function` for errors."""
    return value if callable(value) else load_function(option, value)


@cache
def load_function(option: str, name: str) -> Callable[[str], Any]:
    """Return the function that a name stands for; `option` is for errors."""
    if name == PUNKT:
        return _load_punkt().tokenize
    if name in EXTERNAL_TOKENIZERS:
        row = EXTERNAL_TOKENIZERS[name]
        method = partial(getattr(load_tokenizer(name), row.method), **dict(row.arguments))
        return lambda text: " ".join(method(text).split())
    return _spacy_tokenizer(option, name) if re.fullmatch(SPACY, name) else _import_function(option, name)


@cache
def load_tokenizer(name: str) -> Any:
    """Return an instance of an external tokenizer; where it fetches a model, a line of the log says so."""
    row = EXTERNAL_TOKENIZERS[name]
    model = _model_of(row)
    if model is not None and not model.exists():
        logging.getLogger("sari").warning("tokenize: %r is fetched from %s to %s", name, row.fetches, model)
    try:
        return getattr(import_module(row.module), row.name)()
    except Exception as error:
        if model is None and isinstance(error, ImportError | RuntimeError):
            raise RefusedImportError(_missing_package("tokenize", name, row.install)) from None
        reason = str(error)[:60] or type(error).__name__
        remedy = "" if model is None else f": save {row.fetches} as {model}"
        raise RefusedValueError(short_line(f"tokenize: {name!r} could not be set up ({reason}){remedy}")) from error


def _model_of(row: ExternalTokenizer) -> Path | None:
    """Return the file in which sacreBLEU keeps the model of a tokenizer."""
    if not row.fetches:
        return None
    from sacrebleu.utils import SACREBLEU_DIR  # slow to import

    return Path(SACREBLEU_DIR, "models", row.fetches.rpartition("/")[2])


def would_fetch(tokenizer: Tokenizer) -> bool:
    """Return whether to load a tokenizer downloads its model."""
    row = EXTERNAL_TOKENIZERS.get(tokenizer) if isinstance(tokenizer, str) else None
    model = None if row is None else _model_of(row)
    return model is not None and not model.exists()


def _load_punkt() -> Any:
    """Return NLTK's Punkt for English, or raise an ImportError that says how to install it."""
    from zipfile import BadZipFile

    try:
        from nltk.tokenize import PunktTokenizer  # optional, and slow to import

        return PunktTokenizer("english")
    # The class came with NLTK 3.9; its data are a broken archive where a download was interrupted.
    except (ImportError, AttributeError, LookupError, BadZipFile):
        raise RefusedImportError(_HOW_TO_GET_PUNKT) from None


def _spacy_tokenizer(option: str, name: str) -> Callable[[str], Any]:
    """Return the tokenizer of a blank pipeline of spaCy, which needs no model."""
    try:
        import spacy  # optional
    except ImportError:
        raise RefusedImportError(_missing_package(option, name, "spacy")) from None
    try:
        return spacy.blank(name.partition("-")[2]).tokenizer
    except ImportError as error:  # of a language that spaCy lacks, or that needs a further package
        raise RefusedImportError(short_line(f"{option}: {name!r} cannot be used: {error}")) from None


def _import_function(option: str, name: str) -> Callable[[str], Any]:
    """Return the function that "module:function" names."""
    module, _, path = name.partition(":")
    try:
        function = attrgetter(path)(import_module(module))
    except ImportError as error:
        raise RefusedImportError(short_line(f"{option}: {name!r} cannot be imported: {error}")) from None
    except AttributeError:
        function = None
    if not callable(function):
        raise RefusedValueError(fault(option, short_repr(name), f"a function of the module {module}"))
    return function


def _missing_package(option: str, name: str, install: str) -> str:
    """Return the message of an error: a tokenizer or splitter needs what pip can install."""
    return f"{option}: {name!r} needs a package that is missing: {how_to_install(install)}"


# ---- Names in signatures --------------------------------------------------------------------------------------------


def describe(value: Tokenizer | SentenceSplitter) -> str:
    """Return the name of a tokenizer or splitter for a signature, with its version unless that of sacreBLEU says it.

    A function of a module is named so that it can be imported; another callable cannot be restored from its name.

    >>> describe("13a"), describe(str.title), describe(re.escape), describe("re:escape")
    ('13a', 'custom.str.title', 're:escape', 're:escape')
    """
    if callable(value):
        return _describe_callable(value)
    if value in EXTERNAL_TOKENIZERS:
        row = EXTERNAL_TOKENIZERS[value]
        if row.signed:
            return row.signed
        loaded = load_tokenizer(value)
        return str(loaded.signature()) if hasattr(loaded, "signature") else f"{value}-{version_of(row.install)}"
    if is_code(value):
        return value + _version_of_module(value.partition(":")[0])
    kind, _, language = value.partition("-")
    package = {"punkt": "nltk", "spacy": "spacy"}.get(kind)
    others = _PACKAGES_OF_SPACY.get(language, ()) if kind == "spacy" else ()
    return "-".join([f"{value}-{version_of(package)}" if package else value, *map(_with_version, others)])


def _with_version(package: str) -> str:
    return f"{package}-{version_of(package)}"


def _describe_callable(function: Callable[[str], Any]) -> str:
    """Return "module:name" and a version, if that is the function when it is imported; else "custom." and a name."""
    module = str(getattr(function, "__module__", ""))
    names = [str(getattr(function, attribute, "")) for attribute in ("__qualname__", "__name__")]
    for name in names:
        if _is_name_of(function, module, name):
            return f"{module}:{name}{_version_of_module(module)}"
    return CUSTOM + (names[0] or type(function).__qualname__).replace("|", "_")  # which separates parts of a signature


def _is_name_of(function: Callable[[str], Any], module: str, name: str) -> bool:
    """Return whether another program that imports a name from a module gets this function."""
    if module == "__main__" or module not in sys.modules or not is_code(f"{module}:{name}"):
        return False
    with suppress(AttributeError):
        return bool(attrgetter(name)(sys.modules[module]) == function)
    return False


@cache
def _version_of_module(module: str) -> str:
    """Return "-" and the version of the distribution that a module is of; nothing if it is of none."""
    from importlib import metadata  # slow to import

    package = module.partition(".")[0]
    with suppress(metadata.PackageNotFoundError):
        return f"-{metadata.version(package)}"
    owners = metadata.packages_distributions().get(package)
    return f"-{metadata.version(owners[0])}" if owners else ""


@cache
def version_of(package: str) -> str:
    """Return the version of an installed package, which signatures name; raise an ImportError without it."""
    from importlib import metadata  # slow to import

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        with suppress(ImportError):  # the package may be there without its metadata
            return str(import_module(package).__version__)
    raise RefusedImportError(f"no package {package!r}, whose version signatures name: {how_to_install(package)}")
