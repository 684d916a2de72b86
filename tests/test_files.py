"""Folders of results arrive whole or not at all."""

from pathlib import Path

import pytest

from spinney._files import whole_folder


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def fill(temporary, text="new"):
    for name in ("a", "b", "c"):
        (temporary / name).write_text(text)


def test_a_new_folder_is_made_with_its_parents(tmp_path):
    target = tmp_path / "some" / "where"
    with whole_folder(target) as temporary:
        fill(temporary)
        assert not target.exists()
    assert contents(target) == {"a": "new", "b": "new", "c": "new"}
    assert list(target.parent.iterdir()) == [target]


def test_other_files_are_left_alone(tmp_path):
    (tmp_path / "a").write_text("old")
    (tmp_path / "notes").write_text("mine")
    with whole_folder(tmp_path) as temporary:
        fill(temporary)
    assert contents(tmp_path) == {"a": "new", "b": "new", "c": "new", "notes": "mine"}


def test_nothing_stays_behind_when_the_block_fails(tmp_path):
    def fail():
        with whole_folder(tmp_path / "some" / "where") as temporary:
            fill(temporary)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("moves_that_work", range(5))
def test_an_interrupt_between_two_files_undoes_the_first(tmp_path, monkeypatch, moves_that_work):
    target = tmp_path / "results"
    target.mkdir()
    (target / "a").write_text("old")
    (target / "c").write_text("old")
    replace, count = Path.replace, 0

    def interrupted(self, other):
        nonlocal count
        count += 1
        if count == moves_that_work + 1:
            raise KeyboardInterrupt
        return replace(self, other)

    def move():
        with whole_folder(target) as temporary:
            fill(temporary)
            monkeypatch.setattr(Path, "replace", interrupted)

    with pytest.raises(KeyboardInterrupt):
        move()
    assert contents(target) == {"a": "old", "c": "old"}
    assert list(tmp_path.iterdir()) == [target]
