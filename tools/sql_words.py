"""Which columns of a result are the statement's own words, and no record.

Evidence is what the database holds. A statement may label and choose with texts of its own, as in
`CASE WHEN total > 100 THEN 'large' END AS size`, but such a column says nothing that the records say, and
is left out of the evidence. A column is followed by its name through WITH parts and subqueries, so that
one too many may be left out, and none too few.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.errors import QueryRejected

if TYPE_CHECKING:
    from sqlglot import exp

_WORD = re.compile(r"[^\W_]{2}")
_NAME = re.compile(r"\w+(?: [\w%()/.-]+){0,2}")
_LONGEST_NAME = 40  # bytes; PostgreSQL cuts a name at 63, and it would be another one then

# What a format of dates and numbers may consist of; anything else in it would come out as it is written.
_FORMAT = re.compile(
    r"FM|FX|TM|TH|SP|HH24|HH12|HH|MI|SSSSS?|SS|MS|US|FF[1-6]|[AP]\.?M\.?|Y,YYY|I?Y{1,4}|I{1,4}|B\.?C\.?|A\.?D\.?"
    r"|MONTH|MON|MM|DAY|DY|I?DDD|DD|I?D|WW|IW|W|CC|J|Q|RM|RN|TZH|TZM|TZ|OF|PL|SG|PR|EEEE|[09DGLSV]",
    re.IGNORECASE,
)

# Arguments that choose, cut or say how, and do not come out: by the parser's name of the function.
_SILENT = {
    "Replace": {"expression"},
    "RegexpReplace": {"expression", "modifiers"},
    "RegexpSubstr": {"expression"},
    "SplitPart": {"delimiter"},
    "StrPosition": {"substr"},
    "Trim": {"expression"},
    "StringToArray": {"expression", "null"},
    "StartsWith": {"expression"},
    "Substring": {"start"},
    "Nullif": {"expression"},
    "StrToDate": {"format"},
    "StrToTime": {"format"},
    "ToNumber": {"format"},
    "AtTimeZone": {"zone"},
    "If": {"this"},
    "Translate": {"from_"},
    "JSONTable": {"path", "schema"},
    "JSONColumnDef": {"path"},
}
_SILENT_AFTER_FIRST = re.compile(
    r"regexp_\w+|string_to_table|date_\w+|jsonb?_(?:path|extract)\w+|array_position"
)
_SILENT_WHOLLY = re.compile(
    r"to_ts\w+|plainto\w+|phraseto\w+|websearch\w+|ts_rank\w*|timezone|generate_series"
)


@dataclass(frozen=True)
class OwnWords:
    """Finds them in one parsed statement.

    Attributes:
        tree: The statement.
        called: The name of a function as it was written, or None for syntax.
        listed: The functions of the catalogue, whose arguments choose what they give.
    """

    tree: exp.Expr
    called: Callable[[exp.Func], str | None]
    listed: frozenset[str]

    def columns(self) -> frozenset[str]:
        """The names of the result's columns that are the statement's own words.

        Raises:
            QueryRejected: All of them are, or words stand where they cannot be followed.
        """
        from sqlglot import exp

        if any(
            self.tree.find_all(exp.RawString, exp.UnicodeString, exp.ByteString, exp.HexString, exp.Heredoc)
        ):
            raise QueryRejected("write texts in plain single quotes, doubling a quote inside")
        self._check_names()
        words = {id(one) for one in self.tree.find_all(exp.Literal) if self._comes_out(one)}
        names = self._of_sources(words)
        selects = [
            one for one in self.tree.find_all(exp.Select) if not one.find_ancestor(exp.Where, exp.Exists)
        ]
        known = -1
        while known != len(names):
            known = len(names)
            for select in selects:
                names |= self._tainted(select, words, names)
        return self._of_result(frozenset(names))

    def _of_result(self, names: frozenset[str]) -> frozenset[str]:
        from sqlglot import exp

        outer = self.tree.unnest()
        while isinstance(outer, exp.SetOperation):
            outer = outer.this.unnest()
        if not isinstance(outer, exp.Select) or outer.is_star:
            return names
        own = names & {self._name(one) for one in outer.expressions}
        if all(self._name(one) in own for one in outer.expressions):
            raise QueryRejected(
                "a constant is not a record: select columns of the listed relations; texts of your own may"
                " only be compared with, or stand beside them"
            )
        return frozenset(own)

    def _tainted(self, select: exp.Select, words: set[int], names: set[str]) -> set[str]:
        """The names of a SELECT's columns that are own words, as the query around it calls them."""
        head = _head(select)
        found = set()
        for place, column in enumerate(select.expressions):
            inside = select.parent is not None
            if place < len(head.expressions) and self._is_own(column, words, names, inside):
                found |= {self._name(head.expressions[place]), *_renamed(head, place)}
        return found

    def _is_own(self, column: exp.Expr, words: set[int], names: set[str], inside: bool) -> bool:
        from sqlglot import exp

        reads = False
        for node in column.walk(prune=lambda one: isinstance(one, exp.Count | exp.Where | exp.Exists)):
            if id(node) in words or (isinstance(node, exp.Column) and node.name in names):
                return True
            reads = reads or isinstance(node, exp.Column | exp.Star | exp.Query | exp.Count)
            # A union may leave a column empty, and a recursion begins with a number.
            reads = reads or isinstance(node, exp.Null) or (inside and node.name in ("0", "1"))
            reads = reads or (isinstance(node, exp.Func) and self.called(node) in self.listed)
        return not reads

    def _of_sources(self, words: set[int]) -> set[str]:
        """What a FROM gives that was written into it, as with VALUES: the names under which it is given."""
        from sqlglot import exp

        found: set[str] = set()
        for literal in self.tree.find_all(exp.Literal):
            source = literal.find_ancestor(exp.Table, exp.Lateral, exp.Unnest, exp.Values, exp.Query)
            if (
                id(literal) not in words
                or source is None
                or isinstance(source, exp.Select | exp.SetOperation)
            ):
                continue
            while isinstance(source.parent, exp.Lateral | exp.Table | exp.Subquery):
                source = source.parent
            alias = source.args.get("alias")
            given = (
                {alias.name, *(column.name for column in alias.args.get("columns") or ())} if alias else set()
            )
            if not given - {""}:
                raise QueryRejected(
                    "texts of your own cannot be read from: give what they make up a name AS name(column),"
                    " or compare with them"
                )
            found |= given - {""}
        return found

    def _check_names(self) -> None:
        from sqlglot import exp

        for alias in self.tree.find_all(exp.Alias, exp.TableAlias):
            for name in [alias.alias_or_name, *(column.name for column in alias.args.get("columns") or ())]:
                if name and not (len(name.encode()) <= _LONGEST_NAME and _NAME.fullmatch(name)):
                    raise QueryRejected(
                        f'the name "{name[:_LONGEST_NAME]}" will not do: use one short word_with_underscores'
                    )

    def _comes_out(self, literal: exp.Literal) -> bool:
        """Whether a literal can stand in the result: it is not compared, counted with, or a mere argument."""
        from sqlglot import exp

        if not (_WORD.search(literal.name) if literal.is_string else literal.name not in ("0", "1")):
            return False
        node: exp.Expr = literal
        while (parent := node.parent) is not None and not isinstance(parent, exp.Query | exp.Values):
            if self._is_silent(node, parent):
                return False
            if not literal.is_string and not isinstance(parent, _passing()):
                return False  # a number to compute with, such as how many digits to round to
            node = parent
        return True

    def _is_silent(self, node: exp.Expr, parent: exp.Expr) -> bool:
        from sqlglot import exp

        key, name = node.arg_key or "", type(parent).__name__
        if isinstance(parent, exp.Bracket):
            return key != "this"
        if isinstance(parent, exp.Ordered | exp.Order):
            around = parent.find_ancestor(exp.WithinGroup, exp.Query, exp.Window)
            return not isinstance(around, exp.WithinGroup)  # of those in order one is picked
        if isinstance(parent, _choosing()) or key in _SILENT.get(name, ()):
            return True
        if name == "TimeToStr" and key == "format":
            written = parent.sql(dialect="postgres")  # the literal itself is in the parser's own signs
            return not _WORD.search(_FORMAT.sub(" ", written.partition("'")[2])) and '"' not in written
        if isinstance(parent, exp.Binary) and name.startswith("JSON"):
            return key == "expression"
        if not isinstance(parent, exp.Func) or (called := self.called(parent)) is None:
            return False
        if called in self.listed or _SILENT_WHOLLY.fullmatch(called):
            return True
        place = node.index or 0
        if _SILENT_AFTER_FIRST.fullmatch(called):
            return place > 0
        return called.endswith("build_object") and place % 2 == 0 and bool(re.fullmatch(r"\w+", node.name))

    def _name(self, column: exp.Expr) -> str:
        """What PostgreSQL calls a column of the result."""
        from sqlglot import exp

        if column.alias_or_name:
            return str(column.alias_or_name)
        inner = column.unnest()
        while isinstance(inner, exp.Cast):
            inner = inner.this.unnest()
        if isinstance(inner, exp.Func):
            return self.called(inner) or inner.sql_name().lower()
        return str(inner.alias_or_name) or "?column?"


def _choosing() -> tuple[type[exp.Expr], ...]:
    """Syntax whose parts choose or compute, and do not come out themselves."""
    from sqlglot import exp

    return (
        *(exp.Predicate, exp.Where, exp.Having, exp.Filter, exp.Interval, exp.Extract, exp.MatchAgainst),
        *(exp.RegexpLike, exp.RegexpILike, exp.Collate, exp.Limit, exp.Offset, exp.Fetch),
        *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Group, exp.DataTypeParam),
    )


def _passing() -> tuple[type[exp.Expr], ...]:
    """Syntax out of which a number comes as it is written."""
    from sqlglot import exp

    return (
        *(exp.Case, exp.If, exp.Coalesce, exp.Alias, exp.Paren, exp.Neg, exp.Cast),
        *(exp.Tuple, exp.Array, exp.Unnest, exp.Explode),
    )


def _head(select: exp.Select) -> exp.Select:
    """The first SELECT of the UNION that it is part of, which names the columns; else itself."""
    from sqlglot import exp

    top: exp.Expr = select
    for above in _wrappers(select):
        top = above if isinstance(above, exp.SetOperation) else top
    while isinstance(top, exp.SetOperation):
        top = top.this.unnest()
    return top if isinstance(top, exp.Select) else select


def _renamed(select: exp.Select, place: int) -> list[str]:
    """What a column is called by the column lists of the aliases around its SELECT."""
    lists = [
        above.args["alias"].args.get("columns") or ()
        for above in _wrappers(select)
        if above.args.get("alias")
    ]
    return [columns[place].name for columns in lists if place < len(columns)]


def _wrappers(query: exp.Expr) -> Iterator[exp.Expr]:
    """What stands around a query and has the same columns, from the inside."""
    from sqlglot import exp

    above = query.parent
    while isinstance(above, exp.SetOperation | exp.Subquery | exp.Paren | exp.CTE | exp.Lateral):
        yield above
        above = above.parent
