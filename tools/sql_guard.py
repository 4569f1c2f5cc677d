"""The second lock on a lookup: one SELECT, known relations, harmless functions.

PostgreSQL holds the first lock (a reader role, row-level security, a read-only transaction, time limits).
This one refuses earlier and explains better: its messages tell the model what to write instead.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from tools.errors import QueryRejected
from tools.sql_catalogue import ASKING
from tools.sql_conditions import holds_more
from tools.sql_functions import FUNCTIONS, SYNTAX
from tools.sql_names import ShownNames
from tools.sql_words import OwnWords
from tools.stores.catalogue import Relation

if TYPE_CHECKING:
    from sqlglot import exp

MAX_LENGTH = 10_000
"""Longest statement, in characters: far beyond any question, well below what makes a parser slow."""

_WRITING = (
    "Insert",
    "Update",
    "Delete",
    "Merge",
    "Create",
    "Drop",
    "Alter",
    "TruncateTable",
    "Copy",
    "Command",
)


# What PostgreSQL keeps about a row or about whoever asks, and types of numbers that name things of its own.
_SYSTEM_COLUMNS = frozenset({"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"})
_ASKERS = frozenset(
    {
        "user",
        "current_user",
        "session_user",
        "system_user",
        "current_role",
        "current_catalog",
        "current_schema",
    }
)
_SYSTEM_TYPE = re.compile(r"(?:.*\.)?(?:reg\w+|oid\w*|xid8?|cid|tid|pg_\w+|aclitem|refcursor)", re.IGNORECASE)
_NAMES_SHOWN = 12
_WORDS_TOLD = 3


@dataclass(frozen=True)
class Checked:
    """A statement that passed.

    Attributes:
        sql: Its text without a closing semicolon.
        relations: What it reads.
        literals: Up to three single words in quotes that it names, such as an id.
        more: Whether it is held to more than these words tell.
        own: The columns of its result that are its own words, and no record.
        plain: Whether each row of its result is a row of what it reads: nothing is counted, summed up,
            combined or looked for in vain.
        shown: What evidence calls the columns that the statement has given another name.
    """

    sql: str
    relations: tuple[str, ...]
    literals: tuple[str, ...]
    own: frozenset[str] = frozenset()
    plain: bool = False
    shown: Mapping[str, str] = field(default_factory=dict)
    more: bool = False


def check(statement: str, catalogue: Sequence[Relation], schema: str) -> Checked:
    """Let one SELECT over the catalogue's relations pass.

    Raises:
        QueryRejected: It is anything else; the message says what to write instead.
    """
    text = statement.strip().rstrip(";").rstrip()
    if not text:
        raise QueryRejected("the statement is empty: write one SELECT")
    if len(text) > MAX_LENGTH or "\0" in text:
        raise QueryRejected(
            f"the statement is not usable text of at most {MAX_LENGTH} characters: write it shorter"
        )
    tree = _parse(text)
    _refuse_writing(tree)
    _refuse_system(tree)
    relations = tuple(
        dict.fromkeys([*_functions(tree, text, catalogue, schema), *_tables(tree, catalogue, schema)])
    )
    if not relations:
        raise QueryRejected("the statement reads no record: select FROM one of the listed relations")
    listed = frozenset(relation.name for relation in catalogue if relation.kind == "function")
    own = OwnWords(tree, lambda call: _called(call, text), listed).columns()
    read = {relation.name: relation for relation in catalogue if relation.name in relations}
    shown = ShownNames(tree, lambda call: _called(call, text), read).names()
    words = _literals(tree)
    return Checked(text, relations, words, own, _is_plain(tree), shown, holds_more(tree, words))


def _parse(text: str) -> exp.Expr:
    from sqlglot import exp, parse
    from sqlglot.errors import SqlglotError

    logging.getLogger("sqlglot").setLevel(logging.ERROR)  # it warns on stderr about what is refused below
    try:
        trees = [tree for tree in parse(text, dialect="postgres") if tree is not None]
    except (SqlglotError, RecursionError) as error:
        line = str(error).splitlines()[0] if str(error) else "nested too deeply"
        raise QueryRejected(f"this is not a SELECT that can be read ({line}): check the syntax") from None
    if len(trees) != 1:
        raise QueryRejected(
            "only one statement at a time: write one SELECT, joining or using UNION where needed"
        )
    tree = trees[0]
    if not isinstance(tree, exp.Select | exp.SetOperation | exp.Subquery):
        raise QueryRejected("only SELECT is allowed: nothing can be changed here, write a SELECT")
    for identifier in tree.find_all(exp.Identifier):
        if not identifier.args.get("quoted"):  # as PostgreSQL does: of UTF-8 the letters of ASCII alone
            identifier.set("this", re.sub("[A-Z]+", lambda found: found[0].lower(), identifier.name))
    return tree


def _refuse_writing(tree: exp.Expr) -> None:
    from sqlglot import exp

    for node in tree.walk():
        if type(node).__name__ in _WRITING:
            raise QueryRejected("nothing can be changed here, not in a WITH either: write a plain SELECT")
        if isinstance(node, exp.Into):
            raise QueryRejected("SELECT INTO is not allowed: leave out INTO")
        if isinstance(node, exp.Lock):
            raise QueryRejected("rows cannot be locked: leave out FOR UPDATE or FOR SHARE")
        if isinstance(node, exp.Placeholder | exp.Parameter):
            raise QueryRejected(
                "there are no parameters: write the values into the statement, in single quotes"
            )


def _refuse_system(tree: exp.Expr) -> None:
    """What is about the database or the connection, and not about records."""
    from sqlglot import exp

    aliases = {alias.alias_or_name for alias in tree.find_all(exp.Alias, exp.TableAlias)}
    for column in tree.find_all(exp.Column):
        name = column.name
        asker = name in _ASKERS and not column.table and not column.this.args.get("quoted")
        if asker or (name in _SYSTEM_COLUMNS and name not in aliases):
            raise QueryRejected(f'"{name}" is the database\'s own and no record: leave it out')
    for cast in tree.find_all(exp.Cast):
        kind = cast.to.sql(dialect="postgres")
        if _SYSTEM_TYPE.fullmatch(kind.strip('"')):
            raise QueryRejected(
                f'the type "{kind.lower()}" names things of the database: leave out that cast'
            )
    if any(tree.find_all(exp.Operator)):
        raise QueryRejected("write the operator as it is, without OPERATOR()")


def _tables(tree: exp.Expr, catalogue: Sequence[Relation], schema: str) -> list[str]:
    from sqlglot import exp

    ctes = {cte.args["alias"].this.name for cte in tree.find_all(exp.CTE)}
    # A CTE's name is visible only in part of a statement; elsewhere it would mean a system table.
    if system := next((name for name in ctes if name.startswith("pg_")), None):
        raise QueryRejected(f'"{system}" is a system name: call the WITH part something else')
    known = {relation.name for relation in catalogue if relation.kind != "function"}
    read = []
    for table in tree.find_all(exp.Table):
        if not isinstance(table.this, exp.Identifier):
            continue
        name = table.this.name
        _refuse_other_schema(name, table.args.get("db"), table.args.get("catalog"), schema)
        if table.args.get("db") is None and name in ctes:
            continue
        if name not in known:
            raise QueryRejected(f'there is no table or view "{name}"{_instead(name, known)}')
        read.append(name)
    return read


def _functions(tree: exp.Expr, text: str, catalogue: Sequence[Relation], schema: str) -> list[str]:
    from sqlglot import exp

    own = {relation.name for relation in catalogue if relation.kind == "function"}
    read = []
    for call in tree.find_all(exp.Func):
        name = _called(call, text)
        if name is None:
            continue
        qualifier = _qualifier(call)
        if name in own and (qualifier is None or qualifier.name == schema):
            read.append(name)
            continue
        if qualifier is not None and qualifier.name != "pg_catalog":
            _refuse_other_schema(name, qualifier, None, schema)
        if name not in FUNCTIONS:
            raise QueryRejected(f'the function "{name}" may not be used{_instead(name, own)}')
    return read


def _called(call: exp.Func, text: str) -> str | None:
    """The function's name as it was written, or None for harmless syntax."""
    from sqlglot import exp

    start, end = call.meta.get("start"), call.meta.get("end")
    if start is not None and end is not None:
        written = text[start : end + 1]
        return written[1:-1].replace('""', '"') if written.startswith('"') else written.lower()
    if isinstance(call, exp.Anonymous):
        return call.name.lower()
    return None if type(call).__name__ in SYNTAX or type(call) in _operators() else call.sql_name().lower()


@cache
def _operators() -> frozenset[type]:
    """The parser's classes for infix operators: these compute and are no calls."""
    from sqlglot import exp

    subclasses = [exp.Binary, exp.Unary]
    for known in subclasses:
        subclasses.extend(known.__subclasses__())
    return frozenset(subclasses)


def _qualifier(call: exp.Func) -> exp.Expr | None:
    from sqlglot import exp

    parent = call.parent
    qualifier: exp.Expr | None = None
    if isinstance(parent, exp.Dot) and parent.expression is call:
        qualifier = parent.this
    elif isinstance(parent, exp.Table) and parent.this is call:
        qualifier = parent.args.get("db")
    return qualifier


def _refuse_other_schema(
    name: str, qualifier: exp.Expr | None, catalog: exp.Expr | None, schema: str
) -> None:
    if catalog is not None or (qualifier is not None and qualifier.name != schema):
        raise QueryRejected(f'only the schema "{schema}" can be read: write "{name}" without another schema')


def _instead(name: str, names: Iterable[str]) -> str:
    from rapidfuzz import fuzz, process

    known = sorted(names)
    near = process.extractOne(name, known, scorer=fuzz.WRatio, score_cutoff=70)
    if near:
        return f'; did you mean "{near[0]}"?'
    more = f" and {len(known) - _NAMES_SHOWN} more ({ASKING})" if len(known) > _NAMES_SHOWN else ""
    return f"; there are: {', '.join(known[:_NAMES_SHOWN])}{more}"


def _is_plain(tree: exp.Expr) -> bool:
    from sqlglot import exp

    if not isinstance(tree, exp.Select) or any(join.side for join in tree.args.get("joins") or ()):
        return False
    one_query = sum(1 for _ in tree.find_all(exp.Query)) == 1
    return one_query and not any(tree.find_all(exp.AggFunc, exp.Window, exp.Group, exp.Having, exp.With))


def _literals(tree: exp.Expr) -> tuple[str, ...]:
    """What was looked for, as far as it is a single word: an id or a name."""
    from sqlglot import exp

    compared = (
        n for n in tree.find_all(exp.Literal) if n.is_string and not isinstance(n.parent, exp.Interval)
    )
    found = [literal.name.strip("%") for literal in compared]
    words = dict.fromkeys(word for word in found if re.fullmatch(r"[\w-]{1,24}", word))
    return tuple(words)[:_WORDS_TOLD]
