"""The demo company's database."""
