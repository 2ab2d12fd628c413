"""The grammar of claims: ``pass^3 >= 0.8 for new_tasks and pass_rate[slice=dates] > 0.7``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from bayeseval._validate import Population, nearest_names, shown
from bayeseval.errors import InputError

__all__ = ["Claim", "ClaimError", "Comparison", "Operator", "Term", "parse_claim"]

Operator = Literal[">", ">=", "<", "<="]
Kind = Literal["pass_rate", "pass_hat_k", "pass_at_k", "share_of_tasks"]

# Longer texts are no claims, and would make a message of pages.
LONGEST = 2000
_TOKEN = re.compile(
    r"\s*(?:(?P<op>>=|<=|>|<)|(?P<passk>pass(?P<sign>[@^])(?P<k>\d*))"
    r"|(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)"
    r"|(?P<word>[^\W\d]\w*)|(?P<mark>[-+\[\](),=%]))"
)
_WORDS = ("pass_rate", "pass^3", "pass@3", "share_of_tasks", "worst_slice")


class ClaimError(InputError):
    """A claim that cannot be read; the message names the character."""


@dataclass(frozen=True, slots=True)
class Term:
    """One quantity.

    Parameters
    ----------
    kind : {"pass_rate", "pass_hat_k", "pass_at_k", "share_of_tasks"}
        What it is.
    k : int, default 1
        Number of attempts.
    where : tuple of (str, str), default ()
        Factors and levels that the tasks must have.
    baseline : bool, default False
        Whether it is asked of the baseline's results.
    worst : bool, default False
        Whether it is the smallest over the slices.
    rate : float or None
        The bar of a task's rate, for the share of tasks.
    """

    kind: Kind
    k: int = 1
    where: tuple[tuple[str, str], ...] = ()
    baseline: bool = False
    worst: bool = False
    rate: float | None = None

    def __str__(self) -> str:
        if self.kind == "share_of_tasks":
            name = f"share_of_tasks(rate >= {self.rate:.15g})"
        elif self.kind == "pass_rate":
            name = "pass_rate"
        else:
            name = f"pass{'^' if self.kind == 'pass_hat_k' else '@'}{self.k}"
        selectors = ["baseline"] if self.baseline else []
        selectors += [f"{factor}={_quoted(level)}" for factor, level in self.where]
        chosen = f"[{', '.join(selectors)}]" if selectors else ""
        return f"{'worst_slice ' if self.worst else ''}{name}{chosen}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One quantity, or a difference of two, against a bar.

    Parameters
    ----------
    left : Term
        The quantity.
    minus : Term or None
        What is taken off it.
    operator : {">", ">=", "<", "<="}
        How it compares.
    bar : float
        The bar: 0-1, or -1 to 1 for a difference.
    population : {"new_tasks", "suite", "next_run"}
        Whom it speaks of.
    """

    left: Term
    minus: Term | None
    operator: Operator
    bar: float
    population: Population = "new_tasks"

    @property
    def terms(self) -> tuple[Term, ...]:
        """The quantities in it."""
        return (self.left,) if self.minus is None else (self.left, self.minus)

    @property
    def quantity(self) -> str:
        """What is compared with the bar."""
        return str(self.left) if self.minus is None else f"{self.left} - {self.minus}"

    def __str__(self) -> str:
        where = "" if self.population == "new_tasks" else f" for {self.population}"
        return f"{self.quantity} {self.operator} {self.bar:.15g}{where}"


@dataclass(frozen=True, slots=True)
class Claim:
    """What is claimed: one comparison, or several that must all hold.

    Made by `parse_claim`; see there for the grammar.

    Parameters
    ----------
    comparisons : tuple of Comparison
        Joined by ``and``.
    """

    comparisons: tuple[Comparison, ...]

    def __str__(self) -> str:
        return " and ".join(map(str, self.comparisons))

    def __repr__(self) -> str:
        return f"Claim({str(self)!r})"

    @property
    def needs_baseline(self) -> bool:
        """Whether a part of it is asked of a baseline."""
        return any(term.baseline for each in self.comparisons for term in each.terms)

    @property
    def needs_slices(self) -> bool:
        """Whether a part of it is the worst slice."""
        return any(term.worst for each in self.comparisons for term in each.terms)


def parse_claim(text: str | Claim) -> Claim:
    """Read a claim.

    Parameters
    ----------
    text : str
        ``QUANTITY OP BAR [for POPULATION] [and ...]``, where QUANTITY is ``pass_rate``,
        ``pass^K``, ``pass@K`` or ``share_of_tasks(rate >= R)``; in brackets behind it
        ``factor=level`` for a slice, or ``baseline``; in front of it ``worst_slice``; or
        the difference of two. OP is ``>``, ``>=``, ``<`` or ``<=``; POPULATION is
        ``new_tasks`` (default), ``suite`` or ``next_run``.

    Returns
    -------
    Claim

    Raises
    ------
    ClaimError
        Another text; the message names the character where it stops making sense.

    Examples
    --------
    >>> import bayeseval as be
    >>> be.parse_claim("pass^3 >= 80% for suite and pass_rate > .95")
    Claim('pass^3 >= 0.8 for suite and pass_rate > 0.95')
    """
    if isinstance(text, Claim):
        return text
    if not isinstance(text, str):
        raise ClaimError(f"a claim is a text such as 'pass_rate > 0.95'; got {shown(text)}")
    if len(text) > LONGEST:
        raise ClaimError(f"a claim has at most {LONGEST:,} characters; got {len(text):,}")
    return _Parser(text).claim()


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[_Token] = []
        at = 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                start = at + len(text[at:]) - len(text[at:].lstrip())
                # A quoted level may hold anything.
                if text[start] in "'\"":
                    end = text.find(text[start], start + 1)
                    if end < 0:
                        raise self.error("a quotation mark that is never closed", start)
                    self.tokens.append(_Token("quoted", text[start + 1 : end], start))
                    at = end + 1
                    continue
                raise self.error(f"{text[start]!r} means nothing here", start)
            kind = match.lastgroup or ""
            kind = "passk" if match["passk"] else kind
            self.tokens.append(_Token(kind, match[0].strip(), match.end() - len(match[0].strip())))
            at = match.end()
        self.at = 0

    def error(self, problem: str, start: int | None = None) -> ClaimError:
        """The error, with the character counted from 1."""
        place = len(self.text) if start is None else start
        rest = self.text[place:].strip()
        where = f", at {rest[:20]!r}" if rest else ", at the end"
        return ClaimError(f"claim {self.text!r}: {problem} (character {place + 1}{where})")

    @property
    def now(self) -> _Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def fail(self, expected: str) -> ClaimError:
        return self.error(f"expected {expected}", None if self.now is None else self.now.start)

    def take(self, kind: str, text: str | None = None) -> _Token | None:
        token = self.now
        if token is None or token.kind != kind or (text is not None and token.text != text):
            return None
        self.at += 1
        return token

    def need(self, kind: str, text: str | None, expected: str) -> _Token:
        token = self.take(kind, text)
        if token is None:
            raise self.fail(expected)
        return token

    def claim(self) -> Claim:
        comparisons = [self.comparison()]
        while self.take("word", "and"):
            comparisons.append(self.comparison())
        if self.now is not None:
            raise self.fail("'and', 'for' or the end")
        return Claim(tuple(comparisons))

    def comparison(self) -> Comparison:
        left, minus = self.term(), None
        if self.take("mark", "-"):
            minus = self.term()
        operator = self.need("op", None, "one of >, >=, <, <=").text
        bar = self.bar(difference=minus is not None)
        population = "new_tasks"
        if self.take("word", "for"):
            token = self.now
            population = self.need("word", None, "new_tasks, suite or next_run").text
            if population not in get_args(Population):
                assert token is not None
                hint = nearest_names(population, get_args(Population))
                raise self.error(f"a population is new_tasks, suite or next_run{hint}", token.start)
        return Comparison(left, minus, operator, bar, population)  # type: ignore[arg-type]

    def term(self) -> Term:
        worst = self.take("word", "worst_slice") is not None
        token = self.now
        rate: float | None = None
        k = 1
        kind: Kind
        if passk := self.take("passk"):
            digits = passk.text[5:]
            if not digits or int(digits[:9]) < 1 or len(digits) > 9:
                raise self.error("k is a whole number from 1 on, as in pass^3", passk.start)
            kind, k = ("pass_hat_k" if passk.text[4] == "^" else "pass_at_k"), int(digits)
        elif self.take("word", "pass_rate"):
            kind = "pass_rate"
        elif self.take("word", "share_of_tasks"):
            kind = "share_of_tasks"
            self.need("mark", "(", "'(', as in share_of_tasks(rate >= 0.9)")
            self.need("word", "rate", "'rate', as in share_of_tasks(rate >= 0.9)")
            if self.take("op", ">=") is None:
                self.need("op", ">", "'>=', as in share_of_tasks(rate >= 0.9)")
            rate = self.bar(difference=False)
            self.need("mark", ")", "')'")
        else:
            hint = "" if token is None else nearest_names(token.text, _WORDS)
            raise self.fail(f"pass_rate, pass^K, pass@K, share_of_tasks(...) or worst_slice{hint}")
        where, baseline = self.selectors()
        if worst and (where or baseline):
            assert token is not None
            raise self.error("worst_slice goes with no selection in brackets", token.start)
        return Term(kind, k, where, baseline, worst, rate)

    def selectors(self) -> tuple[tuple[tuple[str, str], ...], bool]:
        if not self.take("mark", "["):
            return (), False
        where: list[tuple[str, str]] = []
        baseline = False
        while True:
            name = self.take("word") or self.need("quoted", None, "factor=level or baseline")
            if self.take("mark", "="):
                where.append((name.text, self.level()))
            elif name.text == "baseline":
                baseline = True
            else:
                raise self.fail(f"'=', as in {name.text}=level")
            if self.take("mark", "]"):
                return tuple(where), baseline
            self.need("mark", ",", "',' or ']'")

    def level(self) -> str:
        """A level: quoted, or all up to a comma or bracket."""
        if quoted := self.take("quoted"):
            return quoted.text
        rest = self.tokens[self.at :]
        if not rest:
            raise self.fail("a level")
        stop = next((token for token in rest if token.text in (",", "]")), None)
        self.at += len(rest) if stop is None else rest.index(stop)
        start, end = rest[0].start, len(self.text) if stop is None else stop.start
        level = self.text[start:end].strip()
        if not level:
            raise self.fail("a level")
        return level

    def bar(self, *, difference: bool) -> float:
        sign = -1.0 if self.take("mark", "-") else 1.0
        token = self.need("number", None, "a number")
        value = sign * float(token.text)
        if self.take("mark", "%"):
            value /= 100.0
        low = -1.0 if difference else 0.0
        if not low <= value <= 1.0:
            hint = " (a percentage? write 80% or 0.8)" if 1 < abs(value) <= 100 else ""
            raise self.error(f"a bar lies between {low:g} and 1; got {value:g}{hint}", token.start)
        return value


def _quoted(level: str) -> str:
    return level if re.fullmatch(r"[\w.-]+", level) else repr(level)
