"""Files and folders of results arrive whole or not at all, whatever ends the process."""

import os
import stat
import subprocess
import sys
from contextlib import contextmanager, suppress

import pytest

from spinney._core import files as _files
from spinney._core.files import remove_stale, whole_file, whole_folder

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


def ours_of(found):
    return {name: text for name, text in (found or {}).items() if name in OURS}


def ours(target):
    return ours_of(contents(target))


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


class Interrupts:
    """Let a number of changes on disc happen, then raise: once, or like a dead process for ever."""

    CHANGES = ("mkdir", "rename", "replace", "unlink", "remove", "rmdir", "chmod", "fsync")

    def __init__(self, monkeypatch, allowed, *, error=KeyboardInterrupt, dead=False):
        self.left, self.error, self.dead, self.raised = allowed, error, dead, 0
        for name in self.CHANGES:
            monkeypatch.setattr(os, name, self.around(getattr(os, name)))
        opened = os.open
        monkeypatch.setattr(
            os, "open", lambda path, flags, *a, **o: self.open(opened, path, flags, *a, **o)
        )

    def check(self):
        self.left -= 1
        if self.left == -1 or (self.left < 0 and self.dead):
            self.raised += 1
            raise self.error

    def around(self, function):
        def call(*arguments, **options):
            self.check()
            if function.__name__ != "fsync":  # slow, and nothing here pulls the plug
                return function(*arguments, **options)

        return call

    def open(self, opened, path, flags, *arguments, **options):
        if flags & os.O_CREAT:
            self.check()
        return opened(path, flags, *arguments, **options)


class Killed(BaseException):
    """Not to be caught by anything."""


def moments(tmp_path, before, work=write, **options):
    """Break off the same work after 0, 1, 2, … changes until it goes through."""
    for allowed in range(200):
        folder = tmp_path / str(allowed)
        folder.mkdir()
        target = folder / "results"
        prepare(target, before)
        with pytest.MonkeyPatch.context() as patch:
            interrupts = Interrupts(patch, allowed, **options)
            with suppress(interrupts.error):
                work(target)
        yield folder, target
        if not interrupts.raised:
            assert allowed > 8
            return
    raise AssertionError("it never goes through")


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_killed_at_any_moment_a_folder_is_whole(tmp_path, before, monkeypatch):
    ends = []
    for folder, target in moments(tmp_path, before, error=Killed, dead=True):
        if target.exists():
            assert ours(target) == NEW or contents(target) == before
        with monkeypatch.context() as patch:
            patch.setattr(_files, "_is_alive", lambda process: False)
            remove_stale(folder)
        assert hidden(folder) == []
        ends.append(contents(target) if target.exists() else None)
    assert ends[0] == before
    assert ends[-1] == after(before)
    assert all(end in (before, after(before)) for end in ends)


@pytest.mark.parametrize("before", list(BEFORE.values())[1:], ids=list(BEFORE)[1:])
def test_killed_where_it_stands_new_and_old_are_never_together(tmp_path, before, monkeypatch):
    def write_here(target):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(target)
            write(".")

    ends = []
    for _, target in moments(tmp_path, before, write_here, error=Killed, dead=True):
        assert len(set(ours(target).values())) <= 1
        assert OURS[-1] not in ours(target) or ours(target) in (NEW, ours_of(before))
        with monkeypatch.context() as patch:
            patch.setattr(_files, "_is_alive", lambda process: False)
            remove_stale(target)
        ends.append(contents(target))
    assert ends[0] == before
    assert ends[-1] == after(before)
    assert all(end in (before, after(before)) for end in ends)


def test_what_cannot_be_moved_leaves_all_as_it_was(tmp_path, monkeypatch):
    target = tmp_path / "results"
    prepare(target, {"a": "old", "notes": "mine"})
    rename = os.rename

    def refuse(source, place):
        if str(source) == str(target):
            raise PermissionError("in use")
        rename(source, place)

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(PermissionError, match="in use"):
        write(target)
    assert contents(target) == {"a": "old", "notes": "mine"}
    assert hidden(tmp_path) == []


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_interrupted_at_any_moment_nothing_else_is_there(tmp_path, before):
    for folder, target in moments(tmp_path, before, error=KeyboardInterrupt):
        assert (contents(target) if target.exists() else None) in (before, after(before))
        assert hidden(folder) == []


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_where_a_change_fails_it_is_whole_all_the_same(tmp_path, before, monkeypatch):
    for folder, target in moments(tmp_path, before, error=OSError):
        found = contents(target) if target.exists() else None
        assert found in (before, after(before))
        with monkeypatch.context() as patch:  # what could not be taken away waits for the next run
            patch.setattr(_files, "_is_alive", lambda process: False)
            remove_stale(folder)
        assert hidden(folder) == []
        assert (contents(target) if target.exists() else None) == found


@pytest.mark.parametrize("before", [None, "old"])
def test_a_file_killed_at_any_moment(tmp_path, before):
    def write_file(target):
        with whole_file(target) as temporary:
            temporary.write_text("new")

    for allowed in range(30):
        folder = tmp_path / str(allowed)
        folder.mkdir()
        target = folder / "note.txt"
        if before is not None:
            target.write_text(before)
        with pytest.MonkeyPatch.context() as patch:
            interrupts = Interrupts(patch, allowed, error=Killed, dead=True)
            with suppress(Killed):
                write_file(target)
        assert (target.read_text() if target.exists() else None) in (before, "new")
        if not interrupts.raised:
            assert allowed > 3
            assert target.read_text() == "new"
            return
    raise AssertionError("it never goes through")


HOLDS = """
import sys, time
from pathlib import Path
from spinney._core.files import whole_file, whole_folder
with whole_folder(sys.argv[1]) as folder, whole_file(sys.argv[2]) as file:
    (folder / "a").write_text("slow")
    file.write_text("slow")
    print("ready", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def at_work(target, file):
    command = [sys.executable, "-c", HOLDS, str(target), str(file)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        yield process


def test_what_a_living_process_works_at_is_left_alone(tmp_path):
    target, file = tmp_path / "results", tmp_path / "note.txt"
    with at_work(target, file) as process:
        busy = set(hidden(tmp_path))
        remove_stale(tmp_path)
        write(target)
        assert busy <= set(hidden(tmp_path))
        process.stdin.write("\n")
    assert process.returncode == 0
    assert contents(target)["a"] == file.read_text() == "slow"
    assert hidden(tmp_path) == []


def test_what_a_killed_process_worked_at_is_taken_away(tmp_path):
    target, file = tmp_path / "results", tmp_path / "note.txt"
    with at_work(target, file) as process:
        process.kill()
    assert len([path for path in tmp_path.iterdir() if path.name.startswith(".")]) == 2
    with whole_file(tmp_path / "another") as temporary:
        temporary.write_text("")
    assert hidden(tmp_path) == []
    assert not target.exists()


def test_names_that_only_look_alike_are_left_alone(tmp_path):
    mine, other = _files._prefix(), ".spinney-part-0-1-abcdefgh"
    for name in (".spinney-part-mine", f"{mine}abc", f"{mine}abcdefgh-notes", f"{mine}abcdefgh"):
        (tmp_path / name).write_text("mine")
    (tmp_path / other).write_text("of another machine")
    before = set(hidden(tmp_path))
    remove_stale(tmp_path)
    assert set(hidden(tmp_path)) == before
