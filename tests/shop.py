"""A shop's database as its engineer has it: tables with keys, other applications on them, and no desk yet."""

from __future__ import annotations

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

SCHEMA, READER, OWNER, LOGIN, OTHER_APP = "shop", "shop_reader", "shop_owner", "shop_desk", "shop_app"

_ROLES = """
DO $$ BEGIN
    CREATE ROLE shop_owner LOGIN CREATEROLE; CREATE ROLE shop_desk LOGIN; CREATE ROLE shop_app LOGIN;
EXCEPTION WHEN duplicate_object THEN NULL; END $$;
"""
_TABLES = """
CREATE SCHEMA shop;
CREATE TABLE shop.customers (customer_id int PRIMARY KEY, name text NOT NULL, secret text);
CREATE TABLE shop.orders (order_id text PRIMARY KEY, customer_id int NOT NULL REFERENCES shop.customers,
    total_eur numeric(8, 2));
CREATE TABLE shop.lines (order_id text REFERENCES shop.orders, line int, product text,
    PRIMARY KEY (order_id, line));
CREATE TABLE shop.products (product text PRIMARY KEY, price_eur numeric(8, 2));
CREATE VIEW shop.my_orders WITH (security_invoker = true) AS SELECT order_id, total_eur FROM shop.orders;
INSERT INTO shop.customers VALUES (1, 'Ada', 'x'), (2, 'Bob', 'y');
INSERT INTO shop.orders VALUES ('O-1', 1, 10), ('O-2', 1, 20), ('O-3', 2, 30);
INSERT INTO shop.lines VALUES ('O-1', 1, 'cup'), ('O-2', 1, 'pot'), ('O-3', 1, 'cup');
INSERT INTO shop.products VALUES ('cup', 4), ('pot', 30);
GRANT USAGE ON SCHEMA shop TO shop_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA shop TO shop_app;
"""


def open_shop(url: str, name: str) -> str:
    """Make the shop in a fresh database of its owner, who is no superuser; returns the owner's URL."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_ROLES)
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} (FORCE)").format(sql.Identifier(name)))
        connection.execute(
            sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(name), sql.Identifier(OWNER))
        )
    owner = make_conninfo(url, dbname=name, user=OWNER)
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute(_TABLES)
    return owner
