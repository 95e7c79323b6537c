"""The table of scripts agrees with Unicode; tokenizers are named, and code is imported for nobody but the caller."""

import re
import sys
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version

import nltk
import pytest
import regex
import sacrebleu.utils
import spacy
from conftest import ROOT
from four_segments import TEXTS, own_tokenizer
from refusals import refuses

from sari.languages import (
    EXTERNAL_TOKENIZERS,
    SCRIPTS,
    count_letters,
    describe,
    load_function,
    load_tokenizer,
    version_of,
)
from sari.sari_scorer import Scorer
from sari.tokenization import split_into_tokens
from sari.variants import CHANGES, Text, resolve_variant, resolve_variants
from sari.web import endpoints
from sari.web.inputs import RefusedError

#: The first words of the declaration of human rights, or as many others, in a script.
WORDS = {
    "Latin": "Alle Menschen sind frei und gleich an Würde, çağdaş, Điều, žluťoučký",
    "Greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι",
    "Cyrillic": "Все люди рождаются свободными, Їжак, ђак",
    "Armenian": "Բոլոր մարդիկ ծնվում են ազատ",
    "Hebrew": "כל בני האדם נולדו בני חורין",
    "Arabic": "يولد جميع الناس أحرارا، تمام افراد بشر آزاد زاده می\u200cشوند، تمام انسان آزاد ہیں",
    "Devanagari": "सभी मनुष्यों को गौरव और अधिकार",
    "Bengali": "সমস্ত মানুষ স্বাধীনভাবে",
    "Gurmukhi": "ਸਾਰਾ ਮਨੁੱਖੀ ਪਰਿਵਾਰ",
    "Gujarati": "પ્રતિષ્ઠા અને અધિકારોની દૃષ્ટિએ",
    "Oriya": "ସବୁ ମନୁଷ୍ୟ ଜନ୍ମକାଳରୁ",
    "Tamil": "மனிதப் பிறவியினர் சகலரும்",
    "Telugu": "ప్రతిపత్తిస్వత్వముల విషయమున",
    "Kannada": "ಎಲ್ಲಾ ಮಾನವರೂ ಸ್ವತಂತ್ರರಾಗಿಯೇ",
    "Malayalam": "മനുഷ്യരെല്ലാവരും തുല്യാവകാശങ്ങളോടും",
    "Sinhala": "සියලු මනුෂ්‍යයෝ නිදහස්ව",
    "Georgian": "ყველა ადამიანი იბადება",
    "Ethiopic": "የሰው ልጅ ሁሉ ሲወለድ",
    "Hangul": "모든 인간은 태어날 때부터",
    "Kana": "すべてのデータ",
    "Han": "人人生而自由",
    "Thai": "มนุษย์ทั้งหลายเกิดมามีอิสระ",
    "Lao": "ມະນຸດທຸກຄົນເກີດມາ",
    "Khmer": "មនុស្សទាំងអស់",
    "Myanmar": "လူတိုင်းသည်",
    "Tibetan": "འགྲོ་བ་མིའི་རིགས",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_letters_and_marks_are_those_of_unicode(name):
    ours = regex.compile(f"[{SCRIPTS[name].letters}]")
    theirs = regex.compile(r"[\p{Hiragana}\p{Katakana}ー]" if name == "Kana" else rf"\p{{{name}}}")
    of_none = regex.compile(r"\p{Cn}|\p{Common}|\p{Inherited}")
    code_points = map(chr, range(0x31000))
    assert not [one for one in code_points if ours.match(one) and not theirs.match(one) and not of_none.match(one)]
    assert name in WORDS
    letters = regex.sub(r"[^\p{L}\p{M}]", "", WORDS[name])
    assert count_letters([WORDS[name]]) == {name: len(letters)}
    assert SCRIPTS[name].spaces == (" " in WORDS[name])
    others = {"Greek": ";", "Tibetan": "།༎", "Armenian": "՞՜"}.get(name, "")
    assert not [mark for mark in SCRIPTS[name].marks if mark not in others and not regex.match(r"\p{STerm}", mark)]


# ---- Names in signatures --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "pattern"),
    [
        ("intl", "intl"),
        ("moses", f"moses-{version('sacremoses')}"),
        ("ja-mecab", r"ja-mecab-[\d.]+-IPA"),
        ("spacy-de", f"spacy-de-{version('spacy')}"),
        ("punkt", f"punkt-{version('nltk')}"),
        # Functions of modules, with the version of what they are installed with.
        (nltk.word_tokenize, f"nltk.tokenize:word_tokenize-{version('nltk')}"),
        ("mpl_toolkits.axes_grid1:Grid", f"mpl_toolkits.axes_grid1:Grid-{version('matplotlib')}"),
        (own_tokenizer, "four_segments:own_tokenizer"),
        # What cannot be imported.
        (sacrebleu.utils.SACREBLEU_DIR.title, "custom.str.title"),
        (lambda text: text, "custom.<lambda>"),
        (type("A|B", (), {"__call__": str.split})(), "custom.A_B"),  # | separates parts of a signature
    ],
)
def test_names_in_signatures(value, pattern):
    assert re.fullmatch(pattern, describe(value))


def test_a_function_is_named_only_where_its_name_can_be_imported(monkeypatch):
    monkeypatch.setattr(own_tokenizer, "__qualname__", "absent")
    assert describe(own_tokenizer) == "four_segments:own_tokenizer"  # by its `__name__`
    monkeypatch.setattr(own_tokenizer, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "own_tokenizer", own_tokenizer, raising=False)
    assert describe(own_tokenizer) == "custom.absent"


def test_version_of_a_package_without_metadata(monkeypatch):
    monkeypatch.setitem(sys.modules, "bare", type(sys)("bare"))
    sys.modules["bare"].__version__ = "1.2"
    assert version_of("bare") == "1.2"
    with refuses(ImportError, "no package 'absent', whose version signatures name: pip install 'absent'"):
        version_of("absent")


# ---- Tokenizers and splitters ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "package", "others"),
    [("ja", "sudachipy", ["SudachiPy", "sudachidict_core"]), ("th", "pythainlp", ["pythainlp"])],
)
def test_signatures_name_what_splits_for_spacy(language, package, others):
    pytest.importorskip(package)
    name = f"spacy-{language}"
    versions = [f"{one}-{version(one)}" for one in others]
    assert describe(name) == "-".join([name, version("spacy"), *versions])
    signature = Scorer("easse", tokenize=name).signature(1)
    assert Scorer.from_signature(signature) == Scorer(variant="easse", tokenize=name)


def test_tokens_of_spacy():
    nlp, texts = spacy.blank("de"), ["Herr Dr. Müller wohnt z.B. in „Köln“, 3. Etage.", "Das (wohl)!  \n Ja?", ""]
    tokens = [[token for word in nlp(text) for token in word.text.split()] for text in texts]
    for tokenize in ("spacy-de", nlp):
        assert split_into_tokens(texts, Text(tokenize=tokenize, lowercase=False)) == tokens
    printed = Scorer("easse", tokenize="spacy-de").signature(1)
    assert Scorer.from_signature(printed).signature(1) == printed
    for language, reason in (("qq", "Can't find model|language"), ("th", "PyThaiNLP")):
        with pytest.raises(ImportError, match=rf"^tokenize: 'spacy-{language}' cannot be used: .*{reason}"):
            Scorer(tokenize=f"spacy-{language}")


def test_functions_by_name():
    by_name = Scorer(tokenize="four_segments:own_tokenizer")
    assert by_name.compute(**TEXTS) == Scorer(tokenize=own_tokenizer).compute(**TEXTS)
    assert by_name.signature() == Scorer(tokenize=own_tokenizer).signature()
    assert repr(by_name) == "Scorer(tokenize='four_segments:own_tokenizer')"
    for name, kind, message in (
        ("absent:split", ImportError, "cannot be imported: No module named 'absent'"),
        ("re:absent", ValueError, "got 're:absent', expected a function of the module re"),
        ("re:I", ValueError, "got 're:I', expected a function of the module re"),
    ):
        with pytest.raises(kind, match=rf"^tokenize: .*{message}"):
            Scorer(tokenize=name)


@pytest.mark.parametrize("name", SCRIPTS)
def test_tokenizers_of_the_table_split_words_of_the_script(name):
    for tokenize in SCRIPTS[name].tokenizers:
        assert CHANGES["tokenize"].check("tokenize", tokenize) == tokenize
        try:
            (tokens,) = split_into_tokens([WORDS[name]], Text(tokenize=tokenize, lowercase=False))
        except ImportError:
            continue  # its package is not installed
        assert count_letters(tokens) == count_letters([WORDS[name]])
        assert len(tokens) > 1


@pytest.mark.parametrize(
    ("name", "package", "install"),
    [
        ("ja-mecab", "ipadic", "sacrebleu[ja]"),
        ("moses", "sacremoses", "sacremoses"),
        ("spm", "sentencepiece", "sentencepiece"),
        ("spacy-de", "spacy", "spacy"),
    ],
)
def test_missing_packages(monkeypatch, name, package, install):
    for cached in (load_tokenizer, load_function):
        cached.cache_clear()
    if name in EXTERNAL_TOKENIZERS:
        monkeypatch.delitem(sys.modules, EXTERNAL_TOKENIZERS[name].module, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with refuses(ImportError, f"tokenize: {name!r} needs a package that is missing: pip install '{install}'"):
        resolve_variant(tokenize=name)


# sacreBLEU calls a method of logging that Python deprecates.
@pytest.mark.filterwarnings("ignore:The 'warn' method is deprecated:DeprecationWarning")
@pytest.mark.parametrize("name", [name for name, row in EXTERNAL_TOKENIZERS.items() if row.fetches])
def test_models_are_fetched_when_texts_are_tokenized(monkeypatch, tmp_path, caplog, name):
    """Not when a signature or a state is read; and a failure says what was wanted from where."""
    row, asked = EXTERNAL_TOKENIZERS[name], []
    module = import_module(row.module)
    assert (row.fetches, row.signed) == tuple(module.SPM_MODELS[name][key] for key in ("url", "signature"))

    def fetch(url, _path):
        asked.append(url)
        raise RuntimeError("no model")  # as sentencepiece does, also where a file is broken

    load_tokenizer.cache_clear()
    load_function.cache_clear()
    monkeypatch.setattr(module, "download_file", fetch)
    for place in (module, sacrebleu.utils):
        monkeypatch.setattr(place, "SACREBLEU_DIR", str(tmp_path))
    scorer = Scorer("easse", tokenize=name)
    assert Scorer.from_signature(scorer.signature()).read_state(scorer.state().to_bytes()).segments == 0
    assert asked == []
    with pytest.raises(ValueError, match=rf"^tokenize: '{name}' could not be set up \(no model\): save https:"):
        scorer.compute(**TEXTS)
    assert asked == [row.fetches]
    assert f"{row.fetches} to {tmp_path}" in caplog.text


@pytest.mark.usefixtures("without_punkt")
def test_without_punkt_one_line_says_how_to_get_it(monkeypatch, tmp_path):
    """Also where a download was interrupted; and what needs no sentences goes on working."""
    (tmp_path / "tokenizers").mkdir()
    (tmp_path / "tokenizers" / "punkt_tab.zip").write_bytes(b"PK\x03\x04, and no more")
    for path in ([], [str(tmp_path)]):
        monkeypatch.setattr(nltk.data, "path", path)
        with pytest.raises(ImportError, match=r"^sentence_splitter: 'punkt' needs NLTK and its data: pip install nltk"):
            Scorer("dsari").compute(**TEXTS)
    assert list(resolve_variants()[1]) == ["dsari"]
    assert Scorer("dsari", sentence_splitter=str.splitlines).compute(**TEXTS)["sari"] > 0


# ---- What comes from somebody else imports nothing ------------------------------------------------------------------


@pytest.fixture
def trap(tmp_path, monkeypatch):
    """Return the name of a function whose module fails the test when it is imported."""
    (tmp_path / "trap.py").write_text("raise AssertionError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(AssertionError, match="imported"):
        Scorer(tokenize="trap:split")
    return "trap:split"


def test_signatures_import_nothing(trap):
    signature = Scorer("easse").signature(1).replace("tok:13a", f"tok:{trap}-1.0").replace("easse|", "easse+tok|")
    with pytest.raises(ValueError, match=r"^signature: got tok:trap:split-1.0, which is code"):
        Scorer.from_signature(signature)


def test_states_import_nothing(trap):
    scorer = Scorer("easse", tokenize="four_segments:own_tokenizer")
    data = scorer.state().to_bytes()
    assert scorer.read_state(data).signature() == scorer.signature()
    message = "tokenize: got None, expected the one that the state was made with: Scorer(tokenize=...).read_state(data)"
    plain = Scorer("easse", tokenize="char").state().to_bytes()[:-32]
    forged = plain.replace(b'"char"', f'"{trap}"'.encode())
    for state in (data, forged + sha256(forged).digest()):
        with refuses(ValueError, message):
            Scorer("easse").read_state(state)


@pytest.mark.parametrize("option", ["tokenize", "sentence_splitter"])
def test_the_app_imports_nothing(trap, option):
    for call, *texts in (
        (endpoints.sentence, "a b .", "a .", ["a ."]),
        (endpoints.corpus, ["a b ."], ["a ."], [["a ."]]),
        (endpoints.compare, ["a b ."], {"a": ["a ."]}, [["a ."]]),
    ):
        with pytest.raises(RefusedError, match=rf"^{option}: got"):
            call(*texts, {option: trap})


def test_what_the_page_says_to_type_can_be_typed():
    page = (ROOT / "docs" / "languages.md").read_text(encoding="utf-8")
    names = re.findall(r"--tokenize ([\w:-]+)", page)
    assert [CHANGES["tokenize"].check("tokenize", name) for name in names] == names != []
