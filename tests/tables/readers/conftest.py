"""A way to put bytes on disc."""

import pytest


@pytest.fixture
def write(tmp_path):
    def write_bytes(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_bytes
