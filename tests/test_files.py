"""Files and folders of results arrive whole or not at all."""

import os
import stat

import pytest

from spinney._core.files import whole_file, whole_folder

NEW = {"a": "new", "b": "new", "c": "new"}
# An earlier result of the same names; another set, with somebody's notes; and a folder in it.
BEFORE = {
    "nothing": None,
    "an empty folder": {},
    "an earlier result": {"a": "old", "c": "old"},
    "a result among other files": {"a": "old", "c": "old", "notes": "mine"},
    "a result beside a folder": {"a": "old", "c": "old", "more/notes": "mine"},
}
OURS = ("a", "b", "c")


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def prepare(target, before):
    if before is not None:
        target.mkdir()
    for name, text in (before or {}).items():
        (target / name).parent.mkdir(exist_ok=True)
        (target / name).write_text(text)


def after(before):
    return {**(before or {}), **NEW}


def hidden(folder):
    return list(folder.rglob(".*"))


def write(target, text="new"):
    with whole_folder(target) as temporary:
        for name in OURS:
            (temporary / name).write_text(text)


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_all_files_arrive_and_others_stay(tmp_path, before):
    target = tmp_path / "results"
    prepare(target, before)
    write(target)
    assert contents(target) == after(before)
    assert list(tmp_path.iterdir()) == [target]
    assert hidden(tmp_path) == []


def test_a_new_folder_is_made_with_its_parents(tmp_path):
    target = tmp_path / "some" / "where"
    with whole_folder(target) as temporary:
        (temporary / "a").write_text("new")
        assert not target.exists()
    assert contents(target) == {"a": "new"}
    assert list(target.parent.iterdir()) == [target]
    ordinary = tmp_path / "ordinary"
    ordinary.mkdir()
    assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)


def test_nothing_stays_behind_when_the_block_fails(tmp_path):
    def fail():
        with whole_folder(tmp_path / "some" / "where") as temporary:
            (temporary / "a").write_text("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_as_it_was_when_the_block_fails(tmp_path):
    (tmp_path / "note.txt").write_text("old")

    def fail():
        with whole_file(tmp_path / "note.txt") as temporary:
            temporary.write_text("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert contents(tmp_path) == {"note.txt": "old"}


def test_a_folder_stays_the_same_one(tmp_path, monkeypatch):
    target = tmp_path / "results"
    prepare(target, {"a": "old"})
    before = target.stat().st_ino
    monkeypatch.chdir(target)
    write(".")
    assert (target.stat().st_ino, contents(target)) == (before, NEW)


def test_a_folder_replaces_one_of_the_same_name(tmp_path):
    prepare(tmp_path / "results", {"group/a": "old", "group/b": "old", "mine/a": "mine"})
    with whole_folder(tmp_path / "results") as temporary:
        (temporary / "group").mkdir()
        (temporary / "group" / "a").write_text("new")
    assert contents(tmp_path / "results") == {"group/a": "new", "mine/a": "mine"}
    assert hidden(tmp_path) == []


def test_a_link_to_a_folder_stays_a_link(tmp_path):
    target, link = tmp_path / "results", tmp_path / "link"
    prepare(target, {"a": "old"})
    link.symlink_to(target)
    write(link)
    assert link.is_symlink()
    assert contents(target) == NEW


def test_what_is_written_last_arrives_last(tmp_path, monkeypatch):
    arrived = []
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda a, b: (arrived.append(b.name), replace(a, b)))
    (tmp_path / "results").mkdir()
    with whole_folder(tmp_path / "results") as temporary:
        for k, name in enumerate("zay"):
            (temporary / name).write_text("new")
            os.utime(temporary / name, ns=(k, k))
    assert arrived == ["z", "a", "y"]


def test_a_file_has_ordinary_permissions_and_leaves_nothing_behind(tmp_path):
    (tmp_path / "ordinary").write_text("")
    with whole_file(tmp_path / "note.txt") as temporary:
        temporary.write_text("new")
    assert contents(tmp_path) == {"ordinary": "", "note.txt": "new"}
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1
    assert hidden(tmp_path) == []
