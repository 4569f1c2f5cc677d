"""The four tools and all that they stand on. Nothing here imports from `agent`."""
