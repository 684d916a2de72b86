"""What a payload must be, key by key."""

import base64
import json

import numpy as np

KEYS = {
    *("title", "made", "version", "score", "summary", "nodes", "components"),
    *("pair_columns", "pairs", "n_pairs", "n_judged", "heat", "data", "fits", "why"),
    "stability",
    "strengths",
    *("groups", "calibration", "checks", "paper", "reading", "cite", "command", "run"),
}
PAIR = ["i", "j", "score", "kept", "sign", "strength", "tau", "family", "rows", "fdr", "verdict"]
PAIR += ["low", "high", "rank", "means"]
KINDS = {"continuous", "ordinal", "binary", "nominal"}


def decode(text, dtype):
    return np.frombuffer(base64.b64decode(text, validate=True), dtype=dtype)


def is_text(value):
    return isinstance(value, str)


def are_texts(values):
    return isinstance(values, list) and all(map(is_text, values))


def is_whole(value, low=0, high=None):
    sound = isinstance(value, int) and not isinstance(value, bool) and value >= low
    return sound and (high is None or value <= high)


def is_number(value, low=-np.inf, high=np.inf):
    return isinstance(value, float | int) and not isinstance(value, bool) and low <= value <= high


def is_share(value):
    return value is None or is_number(value, 0, 1)


def check_payload(payload):
    """Refuse anything that the page does not expect."""
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload  # plain JSON throughout
    assert set(payload) == KEYS
    d = len(payload["nodes"])
    for key in ("title", "made", "version", "strengths"):
        assert is_text(payload[key])
    check_score(payload["score"])
    assert set(payload["summary"]) == {"sentences", "cautions", "more"}
    assert all(are_texts(payload["summary"][key]) for key in payload["summary"])
    assert payload["summary"]["sentences"]
    check_nodes(payload["nodes"], payload["components"], d)
    check_pairs(payload, d)
    check_heat(payload["heat"], d)
    check_data(payload["data"], payload["nodes"], d)
    told = [f"{row[0]}-{row[1]}" for row in payload["pairs"][:600]]
    assert list(payload["why"]) == told
    assert set(payload["fits"]) <= set(told)
    for fit in payload["fits"].values():
        check_fit(fit)
    for told in payload["why"].values():
        check_why(told, d)
    check_rest(payload, d)


def check_score(score):
    assert set(score) == {"key", "label", "is_probability", "cut"}
    assert score["key"] in ("probability", "share", "frequency", "weight")
    assert score["is_probability"] is (score["key"] == "probability")
    assert is_text(score["label"])
    assert is_share(score["cut"])


def check_nodes(nodes, components, d):
    keys = {"name", "label", "kind", "component", "degree", "rows", "x", "y"}
    keys |= {"betweenness", "predictability", "up", "group"}
    for node in nodes:
        assert {key for key in node if not key.endswith(("_low", "_high"))} == keys
        assert is_text(node["name"])
        assert 0 < len(node["label"]) <= 40
        assert node["kind"] in KINDS
        assert is_whole(node["component"], 0, len(components) - 1)
        assert is_whole(node["degree"], 0, d - 1)
        assert node["rows"] is None or is_whole(node["rows"])
        assert is_share(node["x"])
        assert is_share(node["y"])
        assert is_number(node["betweenness"], 0)
        assert node["predictability"] is None or is_number(node["predictability"], -9, 1)
        assert node["up"] is None or is_text(node["up"])
        assert node["group"] is None or is_text(node["group"])
    assert len({node["label"] for node in nodes}) == d
    sizes = [len(part["nodes"]) for part in components]
    assert sizes == sorted(sizes, reverse=True)
    assert sorted(k for part in components for k in part["nodes"]) == list(range(d))
    for label, part in enumerate(components):
        assert set(part) == {"nodes", "n_edges"}
        assert all(nodes[k]["component"] == label for k in part["nodes"])
        assert len(part["nodes"]) - 1 <= part["n_edges"] <= len(part["nodes"]) ** 2 / 2


def check_pairs(payload, d):
    assert payload["pair_columns"] == list(PAIR)
    assert payload["n_pairs"] == d * (d - 1) // 2
    weight = payload["score"]["key"] == "weight"
    rows = [dict(zip(payload["pair_columns"], row, strict=True)) for row in payload["pairs"]]
    for row in rows:
        assert is_whole(row["rank"], 1, payload["n_pairs"])
        assert is_whole(row["i"], 0, d - 2)
        assert is_whole(row["j"], row["i"] + 1, d - 1)
        assert (is_number(row["score"]) if weight else is_share(row["score"])) or not row["kept"]
        assert isinstance(row["kept"], bool)
        assert row["sign"] in (-1, 0, 1)
        assert row["strength"] is None or is_number(row["strength"])
        for end in ("low", "high"):
            assert row[end] is None or is_number(row[end], -1, 1)
        assert row["means"] is None or is_text(row["means"])
        assert row["tau"] is None or is_number(row["tau"], -1, 1)
        assert row["family"] is None or is_text(row["family"])
        assert row["rows"] is None or is_whole(row["rows"])
        assert is_share(row["fdr"])
        probable = payload["score"]["is_probability"]
        verdicts = ("present", "absent", "undecided") if probable else (None,)
        assert row["verdict"] in verdicts
    assert len({(row["i"], row["j"]) for row in rows}) == len(rows)
    kept = [row["kept"] for row in rows]
    assert kept == sorted(kept, reverse=True)  # edges first
    n_edges = sum(part["n_edges"] for part in payload["components"])
    assert sum(kept) == n_edges
    judged = payload["n_pairs"] if payload["n_judged"] is None else payload["n_judged"]
    assert is_whole(judged, n_edges, payload["n_pairs"])
    assert len(rows) == min(max(4000, n_edges), judged)
    ends = [k for row in rows if row["kept"] for k in (row["i"], row["j"])]
    assert [node["degree"] for node in payload["nodes"]] == [ends.count(k) for k in range(d)]


def check_heat(heat, d):
    assert set(heat) == {"nodes", "order", "values", "scale"}
    shown = heat["nodes"]
    assert shown == sorted(set(shown))
    assert all(is_whole(k, 0, d - 1) for k in shown)
    assert sorted(heat["order"]) == shown
    values = decode(heat["values"], "u1")
    assert values.size == len(shown) * (len(shown) - 1) // 2
    assert ((values <= 250) | (values == 255)).all()
    assert is_number(heat["scale"], 0)


def check_data(data, nodes, d):
    if data is None:
        return
    assert set(data) == {"n", "shown", "columns"}
    assert data["shown"] == min(data["n"], 1000)
    assert len(data["columns"]) == d
    for column, node in zip(data["columns"], nodes, strict=True):
        if column is None:
            assert d > 400
            continue
        assert set(column) == {"kind", "levels", "values", "quantiles"}
        assert column["kind"] == node["kind"]
        values = decode(column["values"], "<u2")
        assert values.size == data["shown"]
        known = values[values != 65535]
        if column["kind"] == "continuous":
            assert column["levels"] is None
            assert known.max(initial=0) <= 8 * 8191
            assert len(column["quantiles"]) == 5
            assert column["quantiles"] == sorted(column["quantiles"])
        else:
            assert column["quantiles"] is None
            assert are_texts(column["levels"])
            assert len(set(column["levels"])) == len(column["levels"])
            assert known.max(initial=0) < len(column["levels"])


def check_fit(fit):
    assert set(fit) == {"size", "grid", "lines"}
    assert decode(fit["grid"], "u1").size == fit["size"] ** 2
    assert decode(fit["grid"], "u1").max() == 255
    assert is_whole(fit["lines"], 1, 255)


def check_why(told, d):
    assert set(told) == {"sentences", "details", "third", "evidence", "path"}
    assert are_texts(told["sentences"])
    assert told["sentences"]
    assert is_text(told["details"])
    assert told["third"] is None or is_whole(told["third"], 0, d - 1)
    assert len(told["evidence"]) <= 12
    for line in told["evidence"]:
        assert set(line) == {"name", "value", "meaning", "channel"}
        assert is_number(line["value"])
        assert is_text(line["name"])
        assert is_text(line["meaning"])
    if told["path"] is not None:
        assert set(told["path"]) == {"nodes", "weakest"}
        assert len(told["path"]["nodes"]) >= 3
        assert all(is_whole(k, 0, d - 1) for k in told["path"]["nodes"])
        assert 0 < told["path"]["weakest"] <= 1


def check_rest(payload, d):
    found = payload["stability"]
    if found is not None:
        assert set(found) == {"n_fits", "edges", "sentences", "pictures"}
        for title, words, drawn in found["pictures"]:
            assert is_text(title)
            assert is_text(words)
            assert base64.b64decode(drawn, validate=True).startswith(b"\x89PNG")
        for i, j, _, often in found["edges"]:
            assert 0 <= i < j < d
            assert is_share(often)
    found = payload["groups"]
    if found is not None:
        assert set(found) == {"names", "sizes", "pairs", "sentences"}
        assert len(found["names"]) == len(found["sizes"]) >= 2
        for i, j, *values in found["pairs"]:
            assert 0 <= i < j < d
            assert len(values) == len(found["names"]) + 1
            assert all(map(is_share, values))
    found = payload["calibration"]
    assert set(found) == {"sentences", "reliability", "card"}
    assert are_texts(found["sentences"])
    assert are_texts(list(found["card"].values()))
    for check in payload["checks"]:
        assert set(check) == {"level", "text"}
        assert check["level"] in ("ok", "note", "warning")
        assert is_text(check["text"])
    assert are_texts(payload["reading"])
    words = {"methods", "results", "caption", "table", "latex"}
    assert set(payload["paper"]) == {*words, "checklist", "standards"}
    assert all(is_text(payload["paper"][key]) for key in words)
    for item in payload["paper"]["checklist"]:
        assert set(item) == {"item", "standard", "status", "what"}
        assert all(map(is_text, item.values()))
        assert item["status"] in ("has", "lacks", "yours")
    assert are_texts(payload["paper"]["standards"])
    assert set(payload["cite"]) == {"text", "bibtex"}
    assert payload["command"] is None or is_text(payload["command"])
    assert are_texts(list(payload["run"].values()))
