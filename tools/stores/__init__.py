"""The stores behind the tools: documents, records, graph and web."""
