"""Work that a GPU does: imported when somebody asks for ``device="cuda"``, and not before."""
