"""The demo company: documents, database, graph and recorded web pages."""
