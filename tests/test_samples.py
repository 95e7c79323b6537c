"""Samples of texts: pairs of neighbours, spread over all there are, of bounded size."""

from sari.samples import Observed, flattened, observe_texts, sample


def columns(segments, length=1):
    names = [str(number) * length for number in range(segments)]
    return names, [f"p{name}" for name in names], [[f"r{name}"] for name in names]


def test_few_segments_are_all_in_it():
    for segments in range(1, 33):
        assert flattened(sample(*columns(segments))) == columns(segments)


def test_of_many_there_are_pairs_of_neighbours_from_first_to_last():
    for segments in (33, 100, 1_000, 12_345):
        pairs = sample(*columns(segments))
        assert 10 <= len(pairs) <= 16
        places = [list(map(int, sources)) for sources, _, _ in pairs]
        assert all(len(pair) == 1 or pair[1] == pair[0] + 1 for pair in places)
        assert places[0][0] == 0
        assert places[-1][-1] > segments * 0.9
        for sources, predictions, references in pairs:
            assert predictions == [f"p{name}" for name in sources]
            assert references == [[f"r{name}"] for name in sources]


def test_of_long_texts_there_is_the_beginning():
    ((sources, predictions, references),) = sample(*columns(2, length=5_000))
    assert {len(text) for text in [*sources, *predictions, *references[0]]} == {2_000}


def test_samples_that_grow_are_thinned_out():
    observed = Observed([], 0)
    for number in range(100):
        observed = observed.with_those_of(observe_texts([str(number)] * 2, ["", " \t"], [["r"]] * 2))
    assert 16 < len(observed.sample) <= 32
    assert observed.empty == 200
    firsts = [int(sources[0]) for sources, _, _ in observed.sample]
    assert firsts == sorted(firsts)
    assert (firsts[0], firsts[-1]) == (0, 99)
