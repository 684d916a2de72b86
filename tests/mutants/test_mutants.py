"""Tests of the tests: the code is broken on purpose, and they must notice.

A mutant that no test notices is a rule that nothing holds. How to add one: CONTRIBUTING.md.
"""

import pytest

from tests.mutants.cases import (
    ROOT,
    Mutant,
    copy_of_the_package,
    faults_of,
    place_of,
    put_into,
    read_mutants,
    run_tests,
)

MUTANTS = read_mutants()
PASSED, FAILED = 0, 1  # pytest's exit status; 2 and more say that it could not run the tests


def test_every_mutant_changes_one_place_and_names_tests_that_exist():
    faults = [f"{mutant}: {fault}" for mutant in MUTANTS for fault in faults_of(mutant)]
    assert not faults, "\n" + "\n".join(faults)
    assert len({str(mutant) for mutant in MUTANTS}) == len(MUTANTS)


def test_a_bad_mutant_is_told(tmp_path):
    (tmp_path / "src" / "spinney").mkdir(parents=True)
    (tmp_path / "src" / "spinney" / "a.py").write_text("x = 1 + 1\ny = 2\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text("class TestA:\n    def test_b(self): ...\n")

    def told(file="a.py", old="y = 2", new="y = 3", tests=("tests/test_a.py::TestA::test_b[1]",)):
        return " ".join(faults_of(Mutant("part", "id", file, old, new, tests), tmp_path))

    assert told() == ""
    assert told(file="b.py") == "there is no b.py"
    assert "occurs 2 times" in told(old="1")
    assert "occurs 0 times" in told(old="z")
    assert "`new` is `old`" in told(new="y = 2")
    assert "means the same" in told(new="y = (2)")
    assert "no Python any more" in told(new="y = = 2")
    assert "no test is named" in told(tests=())
    for missing in ("tests/test_b.py", "tests/test_a.py::TestA::test_c", "src/spinney/a.py"):
        assert told(tests=[missing]) == f"there is no {missing}"


@pytest.mark.slow
def test_the_named_tests_pass_on_a_copy_without_a_fault(tmp_path):
    source = copy_of_the_package(tmp_path)
    tests = sorted({test for mutant in MUTANTS for test in mutant.tests})
    status, printed = run_tests(source, tests)
    assert status == PASSED, printed


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_is_noticed(mutant, tmp_path):
    source = copy_of_the_package(tmp_path)
    put_into(mutant, source)
    assert place_of(mutant, ROOT / "src", ROOT).read_text("utf-8").count(mutant.old) == 1
    status, printed = run_tests(source, mutant.tests)
    assert status != PASSED, f"Nothing notices {mutant}: {mutant.old!r} -> {mutant.new!r}"
    assert status == FAILED, f"The tests of {mutant} could not be run:\n{printed}"
