"""A density for each pair of columns: margins, copulas, tables of cells."""
