"""From files to passages, and from declared edges to the graph."""
