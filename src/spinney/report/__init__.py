"""From a learned graph to what a reader is handed: a folder of results, and a page that explains."""
