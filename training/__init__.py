"""How the embedder's adapter was learned: invented help articles and catalogues, and the script for it."""
