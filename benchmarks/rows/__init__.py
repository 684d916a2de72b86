"""Long tables: memory, time per stage, and what more rows change in the graph."""
