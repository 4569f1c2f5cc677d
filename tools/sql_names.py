"""What evidence calls the columns of a result that the statement has named itself.

A name is the statement's own word: `weight_kg AS price_eur` would make a price of a weight. So it counts only
when it is made of words that are there. That of a column which is merely renamed has to say what the column's
own name says; that of something computed may use the names of the relations, their columns and functions, and
what is compared with. A currency or unit must be one of a column that it is made from. Whatever is named
otherwise is called by its own name, or by how it is computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tools.relevance import english_stem
from tools.row_text import SUMMARY, endings
from tools.stores.catalogue import Relation

if TYPE_CHECKING:
    from sqlglot import exp

_COMPUTED = "computed value"
_MOST_WORDS = 5  # of a column's name with which a sentence can be compared
_DEEP = 8
_WORD = re.compile(r"[^\W\d_]+")
_OPERATORS = (("||", " and "), ("*", " times "), ("+", " plus "), ("-", " minus "), ("/", " by "))
# Words that say how something is counted or which one is meant, and nothing of what it is.
_COUNTING = """
a all amount and any at average avg by count date day days difference distinct each earliest first for
from greatest highest how id in is largest last latest least lowest many max maximum mean median min
minimum month months most much n name newest no nr num number of oldest on or overall per percent place
quarter rank ratio recent result row rows running share since smallest sum the time to top total until
value week weeks with year years
"""


def _stems(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(
        english_stem(word.lower()) for text in texts for word in _WORD.findall(text.replace("_", " "))
    )


_NEUTRAL = _stems([_COUNTING])
_NAMING = _stems(["date id name no number of the"])


@dataclass(frozen=True)
class ShownNames:
    """Finds them in one parsed statement.

    Attributes:
        tree: The statement.
        called: The name of a function as it was written, or None for syntax.
        relations: What it reads, by name.
    """

    tree: exp.Expr
    called: Callable[[exp.Func], str | None]
    relations: Mapping[str, Relation]

    def names(self) -> dict[str, str]:
        """For each name that does not count, the one that evidence uses."""
        from sqlglot import exp

        found: dict[str, str] = {}
        given = [
            (one.alias, self._name(one.this.unnest(), one.alias)) for one in self.tree.find_all(exp.Alias)
        ]
        for alias, shown in (*given, *self._of_lists(), *self._of_unions(), *self._of_functions()):
            found[alias] = shown if found.get(alias, shown) == shown else _COMPUTED
        outer = {one.alias for one in self.tree.expressions if isinstance(one, exp.Alias)}
        return {
            alias: shown
            for alias in found
            if (shown := self._resolved(alias, found, certain=alias in outer)) != alias
        }

    def _resolved(self, name: str, found: Mapping[str, str], *, certain: bool) -> str:
        """Where a chain of names begins; a column's name that is given to something else begins nowhere."""
        for _ in range(_DEEP):
            if found.get(name, name) == name:
                return name
            if name in self._real and not certain:
                return _COMPUTED
            name, certain = found[name], False
        return _COMPUTED

    def _name(self, expression: exp.Expr, alias: str) -> str:
        """What evidence calls an expression that the statement calls `alias`."""
        from sqlglot import exp

        if isinstance(expression, exp.Column):
            return alias if self._renames(alias, expression.name) else expression.name
        columns = {
            one.name for one in expression.find_all(exp.Column) if one.find_ancestor(*_choices()) is None
        }
        # What is reckoned with a column is not that column, and a sentence is not put together here.
        reckoned = any(expression.find_all(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg))
        other = alias == SUMMARY or (alias in self._real and (columns != {alias} or reckoned))
        fits = not other and _fits(alias, self._words | _NEUTRAL, columns)
        return alias if fits else self._made(expression)

    def _made(self, expression: exp.Expr) -> str:
        """How an expression is computed, as a name."""
        from sqlglot import exp

        while isinstance(expression, exp.Alias | exp.Window | exp.Filter | exp.Cast | exp.Paren):
            expression = expression.this
        if isinstance(expression, exp.Column):
            return expression.name
        if isinstance(expression, exp.Func) and not isinstance(expression, exp.Binary):
            name, over = self.called(expression) or _COMPUTED, expression.this
            return f"{name}_{over.name}" if name != _COMPUTED and isinstance(over, exp.Column) else name
        return _in_words(expression.sql(dialect="postgres"))

    def _of_functions(self) -> Iterator[tuple[str, str]]:
        """The names of functions where there is no other; with the column's there is a unit to it."""
        from sqlglot import exp

        calls = [one for one in self.tree.expressions if isinstance(one, exp.Func)]
        names = [self.called(one) for one in calls]
        for call, name in zip(calls, names, strict=True):
            if name and names.count(name) == 1:
                yield name, self._made(call)

    def _of_unions(self) -> Iterator[tuple[str, str]]:
        """The names under which a UNION puts different things."""
        from sqlglot import exp

        for union in self.tree.find_all(exp.SetOperation):
            head, other = union.this.unnest(), union.expression.unnest()
            while isinstance(head, exp.SetOperation):
                head = head.this.unnest()
            if isinstance(head, exp.Select) and isinstance(other, exp.Select):
                for one, beside in zip(head.expressions, other.expressions, strict=False):
                    empty = isinstance(beside.unalias(), exp.Null) or isinstance(one.unalias(), exp.Null)
                    if not empty and self._made(one) != self._made(beside):
                        yield one.alias_or_name, _COMPUTED

    def _renames(self, alias: str, column: str) -> bool:
        """Whether a name says what a column's own name does, and beside it only which relation's it is."""
        own = _stems([column])
        said = own - _NAMING - _stems(endings(column))
        words = own | _stems(self.relations) | _NAMING
        return alias not in self._real and said <= _stems([alias]) and _fits(alias, words, [column])

    @cached_property
    def _real(self) -> frozenset[str]:
        """The names of the columns of what it reads."""
        return frozenset(column.name for one in self.relations.values() for column in one.columns)

    @cached_property
    def _words(self) -> frozenset[str]:
        """The stems of relations, columns and functions, and of what is compared with."""
        from sqlglot import exp

        texts = [
            literal.name
            for literal in self.tree.find_all(exp.Literal)
            if isinstance(literal.parent, exp.EQ | exp.In | exp.Like | exp.ILike)
            and literal.find_ancestor(exp.Not, exp.Query) is literal.find_ancestor(exp.Query)
        ]
        texts += [name for call in self.tree.find_all(exp.Func) if (name := self.called(call))]
        for relation in self.relations.values():
            texts += [relation.name, *(column.name for column in relation.columns)]
        return _stems(texts)

    def _of_lists(self) -> Iterator[tuple[str, str]]:
        """The names that a FROM or a WITH gives to the columns it holds, each with what that is."""
        from sqlglot import exp

        for alias in self.tree.find_all(exp.TableAlias):
            source = alias.parent
            query = source.this.unnest() if isinstance(source, exp.CTE | exp.Subquery | exp.Lateral) else None
            while isinstance(query, exp.SetOperation):
                query = query.this.unnest()
            read = self._read_by(source)
            listed = [column.name for column in alias.args.get("columns") or ()]
            if isinstance(query, exp.Select):
                own = [one.alias_or_name or _COMPUTED for one in query.expressions]
            elif read in self.relations:
                own = [column.name for column in self.relations[read].columns]
            else:  # numbers, or parts that a function makes of something
                own = [read or _COMPUTED] * len(listed)
                yield alias.name, read or _COMPUTED
            for place, name in enumerate(listed):
                yield name, own[place] if place < len(own) else _COMPUTED

    def _read_by(self, source: exp.Expr | None) -> str:
        """The relation or the function that a FROM names; empty for anything else."""
        from sqlglot import exp

        inner = source.this if isinstance(source, exp.Table | exp.Lateral) else source
        inner = inner.expression if isinstance(inner, exp.Dot) else inner
        if isinstance(inner, exp.Func):
            return self.called(inner) or inner.sql_name().lower()
        return inner.name if isinstance(inner, exp.Identifier) else ""


def _choices() -> tuple[type[exp.Expr], ...]:
    """Where a column only chooses what comes out."""
    from sqlglot import exp

    return (exp.Predicate, exp.Where, exp.Order, exp.WindowSpec)


def _fits(alias: str, words: frozenset[str], columns: Iterable[str]) -> bool:
    """Whether a name is made of these words, with the currency or unit that the columns have, or none."""
    unit, units = endings(alias), {endings(column) for column in columns} - {()}
    return _stems([alias]) <= words and (not unit or units == {unit})


def _in_words(text: str) -> str:
    """An expression as a short name, in letters that a column's name may have."""
    for sign, words in _OPERATORS:
        text = text.replace(sign, words)
    words_of = re.findall(r"\w+", text.lower())
    return " ".join(words_of) if len(words_of) <= _MOST_WORDS else _COMPUTED
