"""`desk prepare`: make a database of your own ready for lookups."""

from __future__ import annotations

from agent.commands.screen import print_json, say, working
from agent.settings import Settings
from tools.errors import ConfigurationError


def prepare(*, login: str | None, as_json: bool) -> int:
    """Create the reader role and what binds a lookup to its customer, in the database of DESK_DATABASE_URL.

    Raises:
        ConfigurationError: No database is set, it cannot be reached, or its login may not create roles.
    """
    import psycopg

    from tools.stores import caller

    settings = Settings.load()
    if settings.database_url is None:
        raise ConfigurationError(
            "DESK_DATABASE_URL: set it to the database to prepare, with an owner's login"
        )
    try:
        with (
            working("preparing the database"),
            psycopg.connect(settings.database_url, autocommit=True, connect_timeout=5) as connection,
        ):
            caller.prepare(connection, settings.reader_role, login=login)
    except psycopg.errors.InsufficientPrivilege:
        raise ConfigurationError(
            "DESK_DATABASE_URL: this login may not create roles and schemas; prepare with one that may"
        ) from None
    except psycopg.errors.UndefinedObject:
        raise ConfigurationError(f"--login: the database has no role {login!r}; create it first") from None
    except psycopg.Error:
        raise ConfigurationError(
            "DESK_DATABASE_URL: the database cannot be reached with this address"
        ) from None
    role, schema = settings.reader_role, settings.records_schema
    grants = [f"GRANT USAGE ON SCHEMA {schema} TO {role};", f"GRANT SELECT ON {schema}.YOUR_VIEW TO {role};"]
    if as_json:
        print_json({"role": role, "schema": schema, "grants": grants})
        return 0
    say(f"{role} is ready. Grant it what the desk may read, such as:")
    for grant in grants:
        say(grant, indent="  ")
    return 0
