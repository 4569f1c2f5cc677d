"""`desk database prepare`: make a database of your own ready for lookups, or see whether it is safe."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.text import Text

from agent.commands.screen import out, plain, print_json, say, working
from agent.settings import Settings
from tools.errors import ConfigurationError

if TYPE_CHECKING:
    import psycopg

    from tools.stores.safety import Finding

_STYLES = {"fail": "red", "warn": "yellow"}


def prepare(*, login: str | None, check: bool, as_json: bool) -> int:
    """Create the roles, grants and policies, or with `check` only look; returns 1 when it is not safe.

    Raises:
        ConfigurationError: No database is set, it cannot be reached, or its login may not do it.
    """
    import psycopg

    from tools.stores.preparation import Preparation, prepare_database
    from tools.stores.readable import may_read, parse_readable

    settings = Settings.load()
    if settings.database_url is None:
        raise ConfigurationError(
            "DESK_DATABASE_URL: set it to the database to prepare, with an owner's login"
        )
    schema, role = settings.records_schema, settings.reader_role
    listed = None if settings.readable is None else parse_readable(settings.readable, schema)
    wanted = Preparation(schema, role, login, listed, settings.customer_column_names, settings.staff_records)
    try:
        with (
            working("looking at the database" if check else "preparing the database"),
            psycopg.connect(settings.database_url, autocommit=True, connect_timeout=5) as connection,
        ):
            changes = [] if check else prepare_database(connection, wanted)
            findings = _findings(connection, settings)
            readable = {
                ".".join(place): list(columns) for place, columns in may_read(connection, role).items()
            }
    except psycopg.errors.InsufficientPrivilege as error:
        reason = error.diag.message_primary or "permission denied"
        raise ConfigurationError(
            f"DESK_DATABASE_URL: this login may not prepare the database ({reason});"
            " use one that may create roles and owns the tables"
        ) from None
    except psycopg.errors.UndefinedObject:
        missing = (
            f"--login: the database has no role {login!r}" if login else f"DESK_READER_ROLE: no role {role!r}"
        )
        raise ConfigurationError(f"{missing}; create it first") from None
    except psycopg.OperationalError:
        raise ConfigurationError(
            "DESK_DATABASE_URL: the database cannot be reached with this address"
        ) from None
    unsafe = any(finding.status == "fail" for finding in findings)
    if as_json:
        told = [asdict(finding) for finding in findings]
        print_json(
            {"role": role, "schema": schema, "changes": changes, "findings": told, "readable": readable}
        )
    else:
        _tell(changes, findings, readable, role)
    return int(unsafe)


def _findings(connection: psycopg.Connection[Any], settings: Settings) -> list[Finding]:
    """Everything that speaks against serving this database, and what is worth a look."""
    from tools.stores.caller import staff_role
    from tools.stores.ownership import read_ownership
    from tools.stores.reading import Limits, Reader
    from tools.stores.safety import KNOWN_CUSTOMER, Finding, strangers_see, unguarded_rows, unsafe_role

    schema, role = settings.records_schema, settings.reader_role
    roles = [role, *([staff_role(role)] if settings.staff_records else [])]
    found = [finding for one in roles for finding in unsafe_role(connection, schema, one)]
    owned = read_ownership(connection, schema, role, settings.customer_column_names)
    found += [*unguarded_rows(owned)]
    found += strangers_see(connection, Reader(schema, role, Limits(settings.statement_timeout)), owned)
    if not owned.readable:
        found.append(
            Finding(
                "warn", f"{role} may read nothing yet: list it in DESK_READABLE, or GRANT SELECT to {role}"
            )
        )
    elif not any(owned.is_owned(table.oid) for table in owned.readable):
        columns = " or ".join(settings.customer_column_names)
        found.append(
            Finding(
                "warn",
                f"nothing that {role} may read belongs to customers: no table has a column {columns}"
                " (DESK_CUSTOMER_COLUMNS) or row-level security",
            )
        )
    call = connection.execute("SELECT to_regprocedure(%s)", [f'"{schema}".{KNOWN_CUSTOMER}()']).fetchone()
    if call is None or call[0] is None:
        found.append(
            Finding(
                "warn",
                f"no customer can be named: the schema needs a function {schema}.{KNOWN_CUSTOMER}()"
                f" returning boolean, executable by {role}",
            )
        )
    return found


def _tell(changes: list[str], findings: list[Finding], readable: dict[str, list[str]], role: str) -> None:
    for change in changes:
        say(change, first="+ ", indent="  ")
    for place, columns in readable.items():
        say(f"{role} may read {place}: {', '.join(columns)}", indent="  ", style="dim")
    for finding in findings:
        out().print(Text.assemble((f"{finding.status:<5}", _STYLES[finding.status]), plain(finding.text)))
    if not any(finding.status == "fail" for finding in findings):
        say("It is safe to serve." + ("" if changes else " Nothing had to be changed."))
