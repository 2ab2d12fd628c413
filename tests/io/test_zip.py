"""Zip archives that nobody vouches for: what is read, and what is refused."""

import io
import struct
import sys
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayeseval as be
from bayeseval.io import _zip
from bayeseval.io._format import Source
from bayeseval.io._zip import Archive, is_zip, open_archive
from tests.io.fuzzing import damaged_bytes

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = b'{"a": 1}' * 40


def packed(method: int, content: bytes) -> bytes:
    if method == _zip.ZSTANDARD:
        return zstd.compress(content)
    if method == _zip.DEFLATED:
        deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        return deflate.compress(content) + deflate.flush()
    return content


def handmade(
    name: bytes = b"a",
    content: bytes = TEXT,
    *,
    method: int = _zip.DEFLATED,
    flags: int = 0x800,
    size: int | None = None,
    body: bytes | None = None,
    repeat: int = 1,
    zip64: bool = False,
) -> bytes:
    """Return a zip of one member, with whatever its directory is to claim."""
    body = packed(method, content) if body is None else body
    crc, size = zlib.crc32(content), len(content) if size is None else size
    local = struct.pack(
        *("<4s5H3I2H", b"PK\3\4", 20, flags, method, 0, 0),
        *(crc, len(body), size, len(name), 0),
    )
    extra = struct.pack("<2H3Q", 1, 24, size, len(body), 0) if zip64 else b""
    sizes = (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF) if zip64 else (len(body), size, 0)
    entry = struct.pack(
        *("<4s6H3I5H2I", b"PK\1\2", 20, 20, flags, method, 0, 0),
        *(crc, sizes[0], sizes[1], len(name), len(extra), 0, 0, 0, 0, sizes[2]),
    )
    members = local + name + body
    directory = (entry + name + extra) * repeat
    end = b""
    if zip64:
        at = len(members) + len(directory)
        number = (repeat, repeat, len(directory), len(members))
        end = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, *number)
        end += struct.pack("<4sIQI", b"PK\6\7", 0, at, 1)
    end += struct.pack(
        "<4s4H2IH", b"PK\5\6", 0, 0, repeat & 0xFFFF, repeat & 0xFFFF,
        0xFFFFFFFF if zip64 else len(directory), 0xFFFFFFFF if zip64 else len(members), 0,
    )  # fmt: skip
    return members + directory + end


def contents(data: bytes) -> list[bytes]:
    archive = Archive(io.BytesIO(data))
    return [archive.read(member) for member in archive.members()]


@pytest.mark.parametrize("method", [_zip.STORED, _zip.DEFLATED, _zip.ZSTANDARD])
@pytest.mark.parametrize("content", [TEXT, b"", bytes(100_000)])
@pytest.mark.parametrize("zip64", [False, True])
def test_methods(method: int, content: bytes, zip64: bool) -> None:
    data = handmade(content=content, method=method, zip64=zip64)
    assert is_zip(data)
    assert contents(data) == [content]


def test_what_the_standard_library_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.comment = b"a comment with PK\5\6 in it"
        file.writestr("header.json", b"first")
        file.writestr("samples/任务_epoch_1.json", TEXT)
        with pytest.warns(UserWarning, match="Duplicate name"):
            file.writestr("header.json", b"last")
    with open_archive(Source.open(str(path))) as archive:
        assert "header.json" in archive
        assert "other.json" not in archive
        assert archive.named("header.json") == b"last"
        assert archive.named("samples/任务_epoch_1.json") == TEXT
        assert [archive.read(member) for member in archive.members()] == [b"first", TEXT, b"last"]


def test_a_file_larger_than_its_head(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    content = bytes(range(256)) * 8192
    path.write_bytes(handmade(content=content, method=_zip.STORED))
    source = Source.open(str(path))
    assert not source.complete
    with open_archive(source) as archive:
        assert archive.named("a") == content


def test_several_frames_and_bytes_before_the_archive() -> None:
    body = zstd.compress(TEXT[:50]) + zstd.compress(TEXT[50:])
    assert contents(b"#!shebang\n" + handmade(method=_zip.ZSTANDARD, body=body)) == [TEXT]


def test_an_empty_zip() -> None:
    data = io.BytesIO()
    zipfile.ZipFile(data, "w").close()
    assert is_zip(data.getvalue())
    assert contents(data.getvalue()) == []


@pytest.mark.parametrize(
    ("name", "fine"),
    [
        (b"../a", False),
        (b"samples/../../a", False),
        (b"samples\\..\\a", False),
        (b"/etc/passwd", False),
        (b"\\\\host\\share", False),
        (b"C:\\a", False),
        (b"samples/wait..._epoch_1.json", True),
        (b"samples/a..b", True),
        (b"samples/a:b", True),
    ],
)
def test_names_outside_the_folder(name: bytes, fine: bool) -> None:
    if fine:
        assert contents(handmade(name)) == [TEXT]
    else:
        with pytest.raises(be.FormatError, match="would lie outside its folder"):
            contents(handmade(name))


def test_bombs() -> None:
    large = 200 << 20
    with pytest.raises(be.FormatError, match=r"'a' would grow from 100 to 209,715,200 bytes"):
        contents(handmade(body=bytes(100), size=large))
    with pytest.raises(be.FormatError, match="like a zip bomb"):
        contents(handmade(body=bytes(100_000_000), size=3 << 30, method=_zip.STORED))


def test_a_bomb_of_many_small_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_zip, "BOMB_BYTES_TOGETHER", 350_000)
    archive = Archive(io.BytesIO(handmade(content=bytes(100_000))))
    (member,) = archive.members()
    for _ in range(3):
        assert len(archive.read(member)) == 100_000
    with pytest.raises(be.FormatError, match=r"to more than 400,000 bytes together"):
        archive.read(member)


@pytest.mark.parametrize("method", [_zip.DEFLATED, _zip.ZSTANDARD])
def test_more_than_declared_is_not_inflated(method: int) -> None:
    with pytest.raises(be.FormatError, match="does not have the size or content"):
        contents(handmade(content=bytes(10_000_000), method=method, size=1_000))


def test_overlapping_members() -> None:
    with pytest.raises(be.FormatError, match="its members overlap, as in a bomb"):
        contents(handmade(content=bytes(100_000), method=_zip.STORED, repeat=20))


def test_too_many_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_zip, "MOST_MEMBERS", 4)
    assert len(contents(handmade(repeat=4, content=b""))) == 4
    with pytest.raises(be.FormatError, match="too many members to be results: more than 4"):
        contents(handmade(repeat=5, content=b""))
    monkeypatch.setattr(_zip, "MOST_DIRECTORY_BYTES", 100)
    with pytest.raises(be.FormatError, match="its directory alone has 141 bytes"):
        contents(handmade(repeat=3, content=b""))


@pytest.mark.parametrize("repeat", [1, 3])
def test_a_signature_inside_a_name_is_no_entry(repeat: int) -> None:
    # Room behind it, so that an entry could start there.
    data = handmade(b"a PK\1\2" + b"b" * 60, repeat=repeat, content=b"")
    archive = Archive(io.BytesIO(data))
    assert archive.names == ["a PK\1\2" + "b" * 60] * repeat
    assert [archive.read(member) for member in archive.members()] == [b""] * repeat


def test_encrypted_and_unknown_methods() -> None:
    with pytest.raises(be.FormatError, match="'a' is encrypted"):
        contents(handmade(flags=0x801))
    with pytest.raises(be.FormatError, match="compressed by zip method 14"):
        contents(handmade(method=14))


@pytest.mark.parametrize("method", [_zip.DEFLATED, _zip.ZSTANDARD])
@pytest.mark.parametrize("body", [b"", b"nonsense", packed(8, TEXT)[:-3], zstd.compress(TEXT)[:-3]])
def test_damaged_members(method: int, body: bytes) -> None:
    with pytest.raises(be.FormatError, match="does not have the size or content"):
        contents(handmade(method=method, body=body))


def test_every_way_of_cutting_it_short() -> None:
    data = handmade()
    for end in range(len(data)):
        with pytest.raises(be.FormatError, match="the zip is"):
            contents(data[:end])


def _bytes_of(names: Sequence[str]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for name in names:
            file.writestr(name, TEXT)
    return data.getvalue()


@given(
    st.one_of(
        st.binary(max_size=200),
        damaged_bytes(_bytes_of(["a", "b/c", "ü"])),
        damaged_bytes(handmade(zip64=True, method=_zip.ZSTANDARD)),
    )
)
def test_any_bytes(data: bytes) -> None:
    try:
        found = contents(data)
    except be.FormatError:
        return
    assert all(isinstance(content, bytes) for content in found)
