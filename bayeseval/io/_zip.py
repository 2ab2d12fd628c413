"""Reading zip archives that nobody vouches for: members by name, bounded in every way.

The directory is read here and not by `zipfile`, which before Python 3.14 cannot read
Zstandard (method 93), and which takes as many members as a file claims to have.
"""

from __future__ import annotations

import struct
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from bayeseval.errors import FormatError
from bayeseval.io._format import Source
from bayeseval.rollouts._tally import short

__all__ = ["Archive", "Member", "is_zip", "open_archive"]

MOST_MEMBERS = 500_000
MOST_DIRECTORY_BYTES = 1 << 28
MOST_BYTES = 1 << 31
# Transcripts compress well, and small members do no harm: a bomb is both large and empty.
BOMB_BYTES = 100 << 20
BOMB_BYTES_TOGETHER = 1 << 30
BOMB_RATIO = 200

STORED, DEFLATED, ZSTANDARD = 0, 8, 93
_ENCRYPTED, _UTF8 = 0x1, 0x800
_ABSENT = 0xFFFF_FFFF

_LOCAL = struct.Struct("<4s5H3I2H")
_ROW = ("method", "crc", "packed", "size", "offset")
_ENTRY = np.dtype(
    [
        *(("signature", "S4"), ("versions", "<u4"), ("flags", "<u2"), ("method", "<u2")),
        *(("time", "<u4"), ("crc", "<u4"), ("packed", "<u4"), ("size", "<u4")),
        *(("name", "<u2"), ("extra", "<u2"), ("comment", "<u2"), ("disk", "<u2")),
        *(("inside", "<u2"), ("outside", "<u4"), ("offset", "<u4")),
    ]
)
_SIGNATURE = b"PK\x01\x02"
_END = struct.Struct("<4s4H2IH")
_LOCATOR = struct.Struct("<4sIQI")
_END64 = struct.Struct("<4sQ2H2I4Q")


_Columns = tuple[list[int], list[int], list[int], list[int], list[int]]


class Member(NamedTuple):
    """An entry of the directory: where its bytes are, and what they should become."""

    name: str
    method: int
    crc: int
    packed: int
    size: int
    offset: int


def is_zip(head: bytes) -> bool:
    """Whether the first bytes of a file are those of a zip, even of an empty one."""
    return head.startswith((b"PK\x03\x04", b"PK\x05\x06"))


class Archive:
    """The members of a zip file.

    Parameters
    ----------
    file : binary file
        Open and seekable.

    Attributes
    ----------
    names : list of str
        Of the members, in the order of the directory; a name may occur again, and the last
        one holds.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._total_packed = self._total_size = 0
        self._end = file.seek(0, 2)
        self.names, self._columns = self._directory()
        self._last = dict(zip(self.names, range(len(self.names)), strict=True))
        if sum(self._columns[2]) > self._end:
            raise FormatError("the zip is larger than its file: its members overlap, as in a bomb")

    def __contains__(self, name: str) -> bool:
        return name in self._last

    def members(self) -> Iterator[Member]:
        """Return the members in the order of `names`."""
        return map(Member, self.names, *self._columns)

    def named(self, name: str) -> bytes:
        """Return the content of the last member of that name."""
        number = self._last[name]
        return self.read(Member(name, *(column[number] for column in self._columns)))

    def read(self, member: Member) -> bytes:
        """Return the content of a member, checked against its declared size and checksum."""
        self._total_size += member.size
        self._total_packed += member.packed
        if member.size > MOST_BYTES or _is_bomb(member.size, member.packed, BOMB_BYTES):
            raise FormatError(
                f"the member {short(member.name)} would grow from {member.packed:,} to "
                f"{member.size:,} bytes, like a zip bomb; it is not read"
            )
        if _is_bomb(self._total_size, self._total_packed, BOMB_BYTES_TOGETHER):
            raise FormatError(
                f"its members would grow from {self._total_packed:,} to more than "
                f"{self._total_size:,} bytes together, like a zip bomb; they are not read"
            )
        content = _inflated(member, self._packed(member))
        if len(content) != member.size or zlib.crc32(content) != member.crc:
            raise _damaged(member)
        return content

    def _packed(self, member: Member) -> bytes:
        header = self._bytes(member.offset, _LOCAL.size)
        if not header.startswith(b"PK\x03\x04"):
            raise _damaged(member)
        *_, name_size, extra_size = _LOCAL.unpack(header)
        start = member.offset + _LOCAL.size + name_size + extra_size
        if start + member.packed > self._end:
            raise _damaged(member)
        return self._bytes(start, member.packed)

    def _bytes(self, start: int, size: int) -> bytes:
        if start < 0 or start + size > self._end:
            raise FormatError("the zip is damaged: an entry points outside the file")
        self._file.seek(start)
        return self._file.read(size)

    def _directory(self) -> tuple[list[str], _Columns]:
        start, size, shift = self._where()
        if size > MOST_DIRECTORY_BYTES:
            raise _too_many(f"its directory alone has {size:,} bytes")
        data = self._bytes(start, size)
        starts, entries = _entries(data)
        name_at = starts + _ENTRY.itemsize
        name_end = name_at + entries["name"]
        raw = [
            data[first:end] for first, end in zip(name_at.tolist(), name_end.tolist(), strict=True)
        ]
        names = _names(raw, entries["flags"].tolist())
        for number in np.flatnonzero(entries["flags"] & _ENCRYPTED).tolist():
            raise FormatError(
                f"the member {short(names[number])} is encrypted; save it without password"
            )
        method, crc, packed, full, offset = (entries[name].tolist() for name in _ROW)
        large = np.logical_or.reduce([entries[name] == _ABSENT for name in _ROW[2:]])
        if large.any():
            columns = (full, packed, offset)
            _fill_zip64(data, entries, name_end, columns, np.flatnonzero(large).tolist())
        if shift:
            offset = [each + shift for each in offset]
        return names, (method, crc, packed, full, offset)

    def _where(self) -> tuple[int, int, int]:
        """Return start and size of the directory, and by how much all offsets are shifted."""
        tail_start = max(0, self._end - _END.size - 0xFFFF)
        tail = self._bytes(tail_start, self._end - tail_start)
        at = tail.rfind(b"PK\x05\x06")
        while at >= 0:
            if len(tail) - at >= _END.size:
                *_, size, offset, comment_size = _END.unpack_from(tail, at)
                if len(tail) - at == _END.size + comment_size:
                    break
            at = tail.rfind(b"PK\x05\x06", 0, at)
        else:
            raise FormatError(
                "the zip is cut short: the directory at its end is missing; copy the file again, "
                "or let its writer finish"
            )
        end = tail_start + at
        if end >= _LOCATOR.size:
            signature, _, where, _ = _LOCATOR.unpack(
                self._bytes(end - _LOCATOR.size, _LOCATOR.size)
            )
            if signature == b"PK\x06\x07":
                record = self._bytes(where, _END64.size)
                if not record.startswith(b"PK\x06\x06"):
                    raise FormatError("the zip is damaged: its directory cannot be found")
                *_, size, offset = _END64.unpack(record)
                end = where
        # Whatever stands before the archive shifts all of its offsets.
        shift = end - size - offset
        if shift < 0:
            raise FormatError("the zip is damaged: its directory lies outside the file")
        return end - size, size, shift


@contextmanager
def open_archive(source: Source) -> Iterator[Archive]:
    """Open the zip that a source is; a damaged or suspicious one raises FormatError."""
    try:
        with BytesIO(source.head) if source.complete else source.path.open("rb") as file:
            yield Archive(file)
    except OSError as error:
        raise FormatError(f"cannot be read: {error}") from None


def _names(raw: list[bytes], flags: list[int]) -> list[str]:
    # Both code pages have the same ASCII, and names without surprises are decoded at once.
    joined = b"\n".join([b"", *raw])
    odd = any(part in joined for part in (b"..", b":", b"\n/", b"\n\\"))
    if joined.isascii() and joined.count(b"\n") == len(raw) and not odd:
        return joined.decode("ascii").split("\n")[1:]
    return [_name(*pair) for pair in zip(raw, flags, strict=True)]


def _name(raw: bytes, flags: int) -> str:
    name = raw.decode("utf-8" if flags & _UTF8 else "cp437", errors="replace")
    climbs = ".." in name and ".." in name.replace("\\", "/").split("/")
    if climbs or name.startswith(("/", "\\")) or name[1:2] == ":":
        raise FormatError(
            f"the zip holds a member named {short(name)}, which would lie outside its folder; "
            f"such a file is not read"
        )
    return name


def _entries(data: bytes) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Return where the entries of a directory start, and what they say, as `_ENTRY`."""
    # There may be hundreds of thousands, so all are found at once, by their signature.
    octets = np.frombuffer(data, np.uint8)
    room = max(len(data) - _ENTRY.itemsize + 1, 0)
    is_start = np.ones(room, dtype=bool)
    for shift, octet in enumerate(_SIGNATURE):
        is_start &= octets[shift : room + shift] == octet
    if np.count_nonzero(is_start) > MOST_MEMBERS:
        raise _too_many(f"more than {MOST_MEMBERS:,}")
    starts = np.flatnonzero(is_start)
    fixed = np.lib.stride_tricks.as_strided(octets, (room, _ENTRY.itemsize), (1, 1))[starts]
    entries = fixed.view(_ENTRY)[:, 0]
    ends = starts + _ENTRY.itemsize + entries["name"] + entries["extra"] + entries["comment"]
    if starts[:1].any() or not np.array_equal(ends, np.append(starts[1:], len(data))):
        # The signature may stand inside an entry as well: step from each to the next.
        place = {start: number for number, start in enumerate(starts.tolist())}
        numbers: list[int] = []
        at = 0
        while at in place:
            numbers.append(place[at])
            at = int(ends[place[at]])
        if at < len(data):
            raise FormatError(
                f"the zip is damaged: its directory breaks off at entry {len(numbers)}"
            )
        if at > len(data):
            raise FormatError("the zip is damaged: its directory is longer than it says")
        starts, entries = starts[numbers], entries[numbers]
    return starts, entries


def _fill_zip64(
    data: bytes,
    entries: npt.NDArray[Any],
    extra_at: npt.NDArray[np.int64],
    columns: tuple[list[int], ...],
    numbers: list[int],
) -> None:
    """Replace the sizes and offsets that need 64 bits and stand in extra fields."""
    for number in numbers:
        at = int(extra_at[number])
        extra = data[at : at + int(entries["extra"][number])]
        found = _zip64(extra, *(column[number] for column in columns))
        for column, value in zip(columns, found, strict=True):
            column[number] = value


def _zip64(extra: bytes, full: int, packed: int, offset: int) -> tuple[int, int, int]:
    """Return sizes and offset; those that need 64 bits stand in the extra field."""
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<2H", extra, at)
        at += 4
        if kind == 1:
            numbers = iter(struct.unpack_from(f"<{min(size, len(extra) - at) // 8}Q", extra, at))
            found = [
                next(numbers, _ABSENT) if value == _ABSENT else value
                for value in (full, packed, offset)
            ]
            return found[0], found[1], found[2]
        at += size
    return full, packed, offset


def _is_bomb(size: int, packed: int, most: int) -> bool:
    return size > most and size > BOMB_RATIO * packed


def _inflated(member: Member, packed: bytes) -> bytes:
    # One byte more than declared is enough to see that the declaration is wrong.
    most = member.size + 1
    if member.method == STORED:
        return packed
    try:
        if member.method == DEFLATED:
            return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, most)
        if member.method == ZSTANDARD:
            return _unzstd(member, packed, most)
    except zlib.error:
        raise _damaged(member) from None
    raise FormatError(
        f"the member {short(member.name)} is compressed by zip method {member.method}; "
        f"deflate and Zstandard can be read, so pack it again"
    )


def _unzstd(member: Member, packed: bytes, most: int) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    parts: list[bytes] = []
    try:
        while packed and most > 0:
            frame = zstd.ZstdDecompressor()
            parts.append(frame.decompress(packed, most))
            most -= len(parts[-1])
            packed = frame.unused_data
            if not frame.eof:
                break
    except zstd.ZstdError:
        raise _damaged(member) from None
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _damaged(member: Member) -> FormatError:
    return FormatError(
        f"the zip is damaged: the member {short(member.name)} does not have the size or content "
        f"that its directory says; copy the file again"
    )


def _too_many(how_many: str) -> FormatError:
    return FormatError(f"the zip has too many members to be results: {how_many}")
