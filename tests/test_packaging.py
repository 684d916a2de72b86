"""What a release is made of agrees: versions and bounds are the same in all files."""

import re
import tomllib
from pathlib import Path

import pytest

import spinney

ROOT = Path(__file__).parents[1]
OTHER_NAMES = {"matplotlib-base": "matplotlib"}  # of conda-forge


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_citation_is_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.search(r"^version: (.*)$", citation, re.M)[1] == spinney.__version__


def test_the_recipe_asks_for_the_same_as_the_wheel(project):
    recipe = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text("utf-8")
    [version] = re.findall(r"^  version: \"(.*)\"$", recipe, re.M)
    assert spinney.__version__ == version
    [oldest] = re.findall(r"^  python_min: \"(.*)\"$", recipe, re.M)
    assert project["requires-python"] == f">={oldest}"
    found = re.findall(r"^    - ([\w-]+) (>=[\d.]+)$", recipe, re.M)
    assert {f"{OTHER_NAMES.get(name, name)}{bound}" for name, bound in found} == set(
        project["dependencies"]
    )
    assert f"summary: {project['description']}" in recipe
    [(name, place)] = project["scripts"].items()
    assert f"- {name} = {place}" in recipe


def test_the_paper_cites_what_is_in_its_bibliography():
    text = (ROOT / "paper" / "paper.md").read_text("utf-8")
    cited = set(re.findall(r"@([a-z]+\d{4})", text))
    assert cited == set(
        re.findall(r"^@\w+\{(\w+),", (ROOT / "paper" / "paper.bib").read_text(), re.M)
    )
    picture = re.search(r"\]\((\S+)\)\{", text)[1]
    assert (ROOT / "paper" / picture).is_file()
