"""The second lock on a lookup: one SELECT, known relations, harmless functions.

PostgreSQL holds the first lock (a reader role, row-level security, a read-only transaction, time limits).
This one refuses earlier and explains better: its messages tell the model what to write instead.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from tools.errors import QueryRejected
from tools.stores.catalogue import Relation

if TYPE_CHECKING:
    from sqlglot import exp

MAX_LENGTH = 10_000
"""Longest statement, in characters: far beyond any question, well below what makes a parser slow."""

FUNCTIONS = frozenset(
    """
    abs age any_value array array_agg array_length array_position array_to_string avg bool_and
    bool_or btrim cardinality cast ceil ceiling char_length coalesce concat concat_ws corr count
    cume_dist current_date current_time current_timestamp date date_bin date_part date_trunc
    dense_rank div every exp extract first_value floor generate_series greatest grouping
    initcap json_agg json_array_elements json_array_elements_text json_array_length json_build_array
    json_build_object json_each json_each_text json_extract_path json_extract_path_text
    json_object_agg json_object_keys json_typeof jsonb_agg jsonb_array_elements
    jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each
    jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_object_agg jsonb_object_keys
    jsonb_path_exists jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_typeof
    justify_days justify_hours justify_interval lag last_value lead least left length ln localtime
    localtimestamp log lower ltrim make_date make_interval make_timestamp max md5 min mod mode
    now nth_value ntile nullif num_nonnulls num_nulls octet_length overlay percent_rank
    percentile_cont percentile_disc position power rank regexp_count regexp_instr regexp_like
    regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table
    regexp_substr replace reverse right round row row_number row_to_json rtrim sign split_part
    sqrt starts_with statement_timestamp stddev stddev_pop stddev_samp string_agg string_to_array
    string_to_table strpos substr substring sum to_char to_date to_json to_jsonb to_number
    to_timestamp transaction_timestamp translate trim trunc unnest upper var_pop var_samp variance
    width_bucket
    """.split()  # noqa: SIM905 - a hundred quoted names are harder to read
)
"""Functions of PostgreSQL that compute and do nothing else: no settings, files, sleep, locks, sequences,
sessions, large objects or SQL inside strings. `repeat` and its like are left out: they make big values of
small ones."""

# Syntax that the parser represents as a function node without keeping a name for it.
_SYNTAX = frozenset(
    """
    And Or Xor Not Case If Cast TryCast Exists Extract CurrentDate CurrentTime CurrentTimestamp
    Localtime Localtimestamp GroupConcat Unnest Array Coalesce JSONExtract JSONExtractScalar
    JSONBExtract JSONBExtractScalar JSONBContains JSONBContainsAnyTopKeys JSONBContainsAllTopKeys
    JSONBDeleteAtPath JSONArrayContains ArrayContainsAll ArrayContainedBy ArrayOverlaps RegexpLike
    RegexpILike StrPosition Substring Trim Overlay Round Pow Concat DPipe SafeDPipe Date Ceil Floor
    TimestampTrunc Sum Count AtTimeZone Struct Map List
    """.split()  # noqa: SIM905 - a hundred quoted names are harder to read
)

# Functions whose second argument is a format or a unit and never comes out.
_FORMATTED = frozenset(
    {"to_char", "to_date", "to_timestamp", "to_number", "date_trunc", "date_part", "date_bin"}
)

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


@dataclass(frozen=True)
class Checked:
    """A statement that passed: its text without a closing semicolon, what it reads, the literals it names."""

    sql: str
    relations: tuple[str, ...]
    literals: tuple[str, ...]


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
    relations = tuple(
        dict.fromkeys([*_functions(tree, text, catalogue, schema), *_tables(tree, catalogue, schema)])
    )
    if not relations:
        raise QueryRejected("the statement reads no record: select FROM one of the listed relations")
    _refuse_made_up(tree, text, frozenset(r.name for r in catalogue if r.kind == "function"))
    return Checked(text, relations, _literals(tree))


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


def _tables(tree: exp.Expr, catalogue: Sequence[Relation], schema: str) -> list[str]:
    from sqlglot import exp

    ctes = {_name(cte.args["alias"].this) for cte in tree.find_all(exp.CTE)}
    # A CTE's name is visible only in part of a statement; elsewhere it would mean a system table.
    if system := next((name for name in ctes if name.startswith("pg_")), None):
        raise QueryRejected(f'"{system}" is a system name: call the WITH part something else')
    known = {relation.name for relation in catalogue if relation.kind != "function"}
    read = []
    for table in tree.find_all(exp.Table):
        if not isinstance(table.this, exp.Identifier):
            continue
        name = _name(table.this)
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
        if name in own and (qualifier is None or _name(qualifier) == schema):
            read.append(name)
            continue
        if qualifier is not None and _name(qualifier) != "pg_catalog":
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
    return None if type(call).__name__ in _SYNTAX or type(call) in _operators() else call.sql_name().lower()


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
    if catalog is not None or (qualifier is not None and _name(qualifier) != schema):
        raise QueryRejected(f'only the schema "{schema}" can be read: write "{name}" without another schema')


def _name(identifier: exp.Expr) -> str:
    return identifier.name if identifier.args.get("quoted") else identifier.name.lower()


def _instead(name: str, names: Iterable[str]) -> str:
    from rapidfuzz import fuzz, process

    known = sorted(names)
    near = process.extractOne(name, known, scorer=fuzz.WRatio, score_cutoff=70)
    return f'; did you mean "{near[0]}"?' if near else f"; there are: {', '.join(known)}"


def _refuse_made_up(tree: exp.Expr, text: str, own: frozenset[str]) -> None:
    """Evidence is what the database holds: a statement may not bring words or numbers of its own into it."""
    from sqlglot import exp

    if any(tree.find_all(exp.RawString, exp.UnicodeString, exp.ByteString, exp.HexString, exp.Heredoc)):
        raise QueryRejected("write texts in plain single quotes, doubling a quote inside")
    for literal in tree.find_all(exp.Literal):
        if literal.is_string and re.search(r"[^\W_]{2}", literal.name) and not _compares(literal, text, own):
            raise QueryRejected(
                f"the result may not contain the statement's own text ('{literal.name[:40]}'): select"
                " columns, and use texts in quotes only to compare or as arguments of the listed functions"
            )
    for select in tree.find_all(exp.Select):
        if select.find_ancestor(exp.Where, exp.Exists):
            continue  # it chooses rows and gives no value
        for column in select.expressions:
            if not any(column.find_all(exp.Column, exp.Star, exp.Func, exp.Query)):
                raise QueryRejected("a constant is not a record: select columns of the listed relations")
    for alias in tree.find_all(exp.Alias, exp.TableAlias):
        for name in [alias.alias_or_name, *(column.name for column in alias.args.get("columns") or ())]:
            if name and not re.fullmatch(r"\w{1,40}", name):
                raise QueryRejected(
                    f'the name "{name[:40]}" will not do: use one short word_with_underscores'
                )


def _compares(literal: exp.Literal, text: str, own: frozenset[str]) -> bool:
    """Whether a literal only chooses what is found: it is compared, or an argument, format, key or date."""
    from sqlglot import exp

    node, parent = literal, literal.parent
    while parent is not None and not isinstance(parent, exp.Select):
        if isinstance(
            parent, exp.Predicate | exp.Where | exp.Having | exp.Filter | exp.Interval | exp.Extract
        ):
            return True
        if isinstance(parent, exp.Cast) and parent.to.is_type(*exp.DataType.TEMPORAL_TYPES, "interval"):
            return True
        if isinstance(parent, exp.Func) and (name := _called(parent, text)) is not None:
            return name in own or (name in _FORMATTED and parent.this is not literal)
        if isinstance(parent, exp.Binary) and type(parent).__name__.startswith("JSON"):
            return parent.expression is node
        node, parent = parent, parent.parent  # type: ignore[assignment]
    return False


def _literals(tree: exp.Expr) -> tuple[str, ...]:
    """What was looked for, as far as it is a single word: an id or a name."""
    from sqlglot import exp

    compared = (
        n for n in tree.find_all(exp.Literal) if n.is_string and not isinstance(n.parent, exp.Interval)
    )
    found = [literal.name.strip("%") for literal in compared]
    return tuple(dict.fromkeys(word for word in found if re.fullmatch(r"[\w-]{1,24}", word)))
