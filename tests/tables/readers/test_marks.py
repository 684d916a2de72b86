"""Decimal marks, marks between thousands, percent signs and strays, column by column."""

from spinney.tables.readers.cells import read_columns
from spinney.tables.readers.text import find_separator


def read(*columns, **options):
    names = [f"c{k}" for k in range(len(columns))]
    found, said = read_columns(names, columns, **options)
    return [list(column) for column in found], tuple(map(str, said))


def test_a_nought_before_a_comma_is_no_thousand():
    (column,), said = read(["0,125", "0,250"], separator="\t")
    assert column == [0.125, 0.25]
    assert said == ("decimal commas in column 'c0' ('0,125' read as 0.125)",)
    (column,), _ = read(["1,125", "1,250"], separator="\t")
    assert column == [1125, 1250]


def test_percent_signs_are_taken_away_only_if_all_numbers_have_one():
    (column,), said = read(["5 %", "3%", "NA", "7%"])
    assert column[:2] == [5, 3]
    assert "percent signs in column 'c0'" in said[0]
    (column,), said = read(["5%", "3", "7"])
    assert column == ["5%", 3.0, 7.0]
    assert said == ()


def test_a_dash_is_a_gap_only_if_all_else_are_numbers():
    (column,), said = read(["1", "-", "2"])
    assert column[0] == 1
    assert column[1] != column[1]
    assert said == ("'-' in column 'c0' taken as missing, as all else are numbers",)
    (column,), said = read(["1", "-", "high", "2", "3"])
    assert column == [1.0, "-", "high", 2.0, 3.0]
    assert said == ()


def test_a_header_that_lacks_a_name_does_not_speak_against_its_separator():
    assert find_separator("a,x;b\nr1;1,5;2\nr2;3,5;4\n") == ";"
