"""Compressed answers: within the limit, and not slower than plain ones."""

import gzip
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain.errors import ToolError
from core.tools.decoding import EXCESS, MOST_PARTS, Decoder


def fed(decoder: Decoder, data: bytes, size: int = 65_536) -> bytes:
    return b"".join(decoder.feed(data[at : at + size]) for at in range(0, len(data), size))


@settings(max_examples=100, deadline=None, database=None)
@given(st.lists(st.binary(max_size=200), max_size=5), st.integers(1, 50))
def test_parts_come_out_as_they_went_in_however_they_arrive(parts: list[bytes], size: int) -> None:
    decoder = Decoder("gzip", 10_000)
    assert fed(decoder, b"".join(gzip.compress(part) for part in parts), size) == b"".join(parts)
    assert decoder.complete or not parts


@pytest.mark.parametrize("encoding", ["", "identity", "gzip", "x-gzip", " GZIP "])
def test_the_limit_counts_decoded_bytes_and_holds_to_the_byte(encoding: str) -> None:
    def sent(content: bytes) -> bytes:
        return gzip.compress(content) if "zip" in encoding.lower() else content

    at, past = Decoder(encoding, 1_000), Decoder(encoding, 1_000)
    assert fed(at, sent(b"x" * 1_000)) == b"x" * 1_000
    assert at.complete
    assert fed(past, sent(b"x" * 1_001)) == b"x" * 1_000
    assert past.full


def test_a_bomb_gives_no_more_than_the_limit_and_costs_no_more() -> None:
    bomb = gzip.compress(bytes(50_000_000), 1)
    decoder = Decoder("gzip", 1_000_000)
    start = time.process_time()
    tracemalloc.start()
    out = decoder.feed(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(out) == 1_000_000
    assert decoder.full
    assert peak < 5_000_000
    assert time.process_time() - start < 0.5


def test_many_empty_parts_are_refused_before_they_cost_time() -> None:
    empty = gzip.compress(b"")
    assert fed(Decoder("gzip", 1_000), empty * (MOST_PARTS + 1)) == b""
    start = time.process_time()
    with pytest.raises(ToolError, match="too many parts"):
        fed(Decoder("gzip", 2_000_000), empty * 100_000)
    assert time.process_time() - start < 0.5


def test_compressed_data_that_gives_nothing_ends() -> None:
    head, empty_block = gzip.compress(b"")[:10], b"\0\0\0\xff\xff"
    with pytest.raises(ToolError, match="more bytes than it gives"):
        fed(Decoder("gzip", 1_000), head + empty_block * EXCESS)


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip", "compress", "x" * 1_000])
def test_an_encoding_that_was_not_asked_for_is_refused(encoding: str) -> None:
    with pytest.raises(ToolError, match="not asked for") as caught:
        Decoder(encoding, 1_000)
    assert len(str(caught.value)) < 200


def test_damaged_data_is_told_and_an_unfinished_part_is_noticed() -> None:
    with pytest.raises(ToolError, match="damaged"):
        Decoder("gzip", 1_000).feed(b"not gzip at all")
    decoder = Decoder("gzip", 1_000)
    decoder.feed(gzip.compress(b"x" * 500)[:-4])
    assert not decoder.complete


def test_zeros_after_the_last_part_are_padding() -> None:
    assert Decoder("gzip", 1_000).feed(gzip.compress(b"x") + bytes(512)) == b"x"
