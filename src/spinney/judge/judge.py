"""The judge: an average of networks, calibrated, with a card that says where it comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, fields
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from spinney._core.arrays import Floats
from spinney._core.pairs import n_nodes
from spinney._core.threads import one_blas_thread
from spinney.evidence import PLACES, Evidence, judge_inputs
from spinney.evidence.out_of_distribution import PREFIX, Cloud, table_summary
from spinney.exceptions import InputError
from spinney.judge.network import STANDARDISATION, Network, Settings
from spinney.notices import Notice

SHIPPED = Path(__file__).parent / "data" / "judge.npz"
"""The judge that comes with the package."""
FORMAT = 1
"""Number of the file's layout; files of later layouts are refused."""
PAIRS_FOR_THREADS = 3_000
"""From so many pairs on, networks are computed side by side: most of the time numpy then computes,
and another thread can, too."""
MANY_COLUMNS = 150
"""Columns beyond which two networks judge: time grows with the third power of the columns, and few
tables of the training were so wide."""
FEW_COLUMNS = (4, 24)
"""Columns between which calibration passes from that of small tables to that of the others."""
Card = Mapping[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Judge:
    r"""One or more networks over pairs whose logits are averaged, then calibrated.

    .. math:: P(e) = 1 / (1 + \exp(-(a_d \bar\ell_e + b_d))), \qquad
              (a_d, b_d) = (\text{scale}, \text{shift}) - s_d \cdot \text{few}

    where :math:`\bar\ell` is the mean over all networks, in tables of more than
    ``MANY_COLUMNS`` columns over the first two, and :math:`s_d` falls from 1 in tables of up
    to four columns to 0 in tables of 24 and more, along a line in log d: see :func:`smallness`.

    Parameters
    ----------
    networks : sequence of Network
        Networks that read the same evidence.
    card : dict
        What is known of the judge, in plain words and numbers (JSON): its name, the world it was
        trained on, seeds, steps, date, calibration, limits.
    scale, shift : float
        Calibration, applied last.
    few : pair of float
        What scale and shift are less in tables of few columns.
    cloud : Cloud, optional
        Where the tables of its training lie.

    Examples
    --------
    >>> from spinney.evidence import measure
    >>> from spinney.simulate import gaussian_mrf
    >>> judge = Judge.load()
    >>> evidence = measure(gaussian_mrf(200, 3, 1.34, random_state=0).table)
    >>> P = judge.probabilities(*judge.reads(evidence))
    >>> P.shape, bool(P.max() > 0.9)
    ((3,), True)
    """

    networks: Sequence[Network]
    card: dict[str, Any] = field(default_factory=dict)
    scale: float = 1.0
    shift: float = 0.0
    cloud: Cloud | None = None
    few: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        networks = tuple(self.networks)
        if not networks:
            raise InputError("A judge needs at least one network.")
        if len({(n.settings.n_even, n.settings.n_odd) for n in networks}) > 1:
            raise InputError("The networks of one judge must read the same channels of evidence.")
        numbers = (self.scale, self.shift, *self.few)
        if not np.isfinite(numbers).all() or self.scale - max(self.few[0], 0.0) <= 0:
            raise InputError(
                f"The scale of a judge must be positive and its shift finite, not {self.scale} "
                f"and {self.shift}."
            )
        object.__setattr__(self, "networks", networks)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is given, without the fingerprint: scikit-learn compares parameters so."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def fingerprint(self) -> str:
        """Of all its numbers; computed once, for it takes as long as reading a table."""
        numbers = [self.scale, self.shift, *self.few]
        digest = sha256(np.array(numbers, dtype=np.float64).tobytes())
        for network in self.networks:
            for name, array in sorted(network.arrays.items()):
                digest.update(name.encode())
                digest.update(np.ascontiguousarray(array, dtype=np.float32).tobytes())
        return digest.hexdigest()[:16]

    def __repr__(self) -> str:
        count = len(self.networks)
        return f"Judge({self.card.get('name', '')!r}, {count} network{'s' * (count != 1)})"

    def logits(
        self, even: ArrayLike, odd: ArrayLike, *, device: str = "cpu", n_jobs: int | None = None
    ) -> NDArray[np.float32]:
        """Compute the calibrated logit of every pair; see :meth:`Network.logits`.

        On a processor numpy computes each network on one thread, and large tables by several
        networks at once: on at most `n_jobs` threads, and as many as the linear algebra library
        has. The numbers are always the same. Any other device is one of torch.
        """

        def judged(network: Network) -> NDArray[np.float32]:
            return network.logits(even, odd, device=None if device == "cpu" else device)

        n_pairs = next(iter(np.shape(even)), 0)
        d = n_nodes(n_pairs)
        networks = self.networks[: 2 if d > MANY_COLUMNS else None]
        if device != "cpu":
            own = [judged(network) for network in networks]
        else:
            most = len(networks) if n_jobs is None or n_jobs < 0 else n_jobs
            with one_blas_thread() as threads:
                threads = min(threads, most) if n_pairs >= PAIRS_FOR_THREADS else 1
                with ThreadPoolExecutor(threads) as pool:
                    run = map if threads == 1 else pool.map
                    own = list(run(judged, networks))
        small = smallness(d)
        scale, shift = self.scale - small * self.few[0], self.shift - small * self.few[1]
        return np.asarray(np.mean(own, axis=0) * np.float32(scale) + np.float32(shift))

    def probabilities(
        self, even: ArrayLike, odd: ArrayLike, *, device: str = "cpu", n_jobs: int | None = None
    ) -> Floats:
        """Compute the probability that each pair is an edge, shape (n_pairs,)."""
        # In double precision, so that pairs that are nearly certain keep their order.
        logits = self.logits(even, odd, device=device, n_jobs=n_jobs)
        return np.asarray(expit(logits.astype(np.float64)))

    def reads(self, evidence: Evidence) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Pick the channels that the judge was trained on, by the names on its card.

        Returns
        -------
        even, odd : arrays of shape (n_pairs, n_even) and (n_pairs, n_odd)

        Raises
        ------
        InputError
            If a channel is no longer measured: the judge belongs to another version of spinney.
        """
        wanted = self.card.get("channels") or [{"name": name} for name in PLACES]
        names = [str(channel["name"]) for channel in wanted]
        missing = [name for name in names if name not in PLACES]
        n_even, n_odd = self.networks[0].settings.n_even, self.networks[0].settings.n_odd
        if missing or len(names) != n_even + n_odd:
            raise InputError(
                f"The judge reads {n_even} even and {n_odd} odd channels of evidence"
                + (f", among them {missing[0]!r}, which is not measured" if missing else "")
                + ": it belongs to another version of spinney."
            )
        values = judge_inputs(evidence.values)[:, [PLACES[name] for name in names]]
        return values[:, :n_even], values[:, n_even:]

    def save(self, path: str | Path) -> None:
        """Write the judge to one file (npz): weights in float16, the card as JSON text, no pickle.

        Parameters
        ----------
        path : str or path
            Ends in ".npz".

        Raises
        ------
        InputError
            If the name does not end in ".npz", the card is not JSON, or a weight is too large.
        """
        path = Path(path)
        if path.suffix != ".npz":
            raise InputError(f"The name of a judge's file ends in '.npz'; {path.name!r} does not.")
        try:
            card = json.dumps(self.card, allow_nan=False, sort_keys=True)
        except (TypeError, ValueError) as error:
            raise InputError(f"The card must be plain JSON: {error}.") from error
        stored: dict[str, Any] = {
            "format": np.array(FORMAT),
            "card": np.array(card),
            "settings": np.array(json.dumps([asdict(n.settings) for n in self.networks])),
            "calibration": np.array([self.scale, self.shift, *self.few], dtype=np.float64),
            **({} if self.cloud is None else self.cloud.to_arrays()),
        }
        for i, network in enumerate(self.networks):
            for name, array in network.arrays.items():
                stored[f"network{i}_{name}"] = _shortened(name, array)
        from spinney._core.files import whole_file

        with whole_file(path) as temporary:
            np.savez_compressed(temporary, **stored)

    @classmethod
    def load(cls, path: str | Path | None = None) -> Judge:
        """Read a judge from a file; without a path, the one that comes with the package.

        Parameters
        ----------
        path : str or path, optional
            What :meth:`save` wrote.

        Raises
        ------
        InputError
            If there is no such file, or it holds no judge that this version can read.
        """
        if path is None and not SHIPPED.exists():
            raise InputError(
                "This installation holds no trained judge; train one (`make train`) or give the "
                "path of one."
            )
        path = Path(SHIPPED if path is None else path)
        if not path.is_file():
            raise InputError(f"There is no file {str(path)!r} to read a judge from.")
        try:
            # Opened here, because numpy leaves the file open if it is damaged.
            with path.open("rb") as file:
                stored = np.load(file, allow_pickle=False)
                return cls._from_arrays({name: stored[name] for name in stored.files})
        except Exception as error:  # what a damaged file raises depends on where it is damaged
            reason = f"{type(error).__name__}: {error}"
            raise InputError(
                f"{str(path)!r} holds no judge that can be read ({reason})."
            ) from error

    @classmethod
    def _from_arrays(cls, stored: dict[str, NDArray[Any]]) -> Judge:
        if (found := int(stored["format"])) != FORMAT:
            raise InputError(f"It has format {found}; this version of spinney reads {FORMAT}.")
        networks = []
        for i, sizes in enumerate(json.loads(str(stored["settings"]))):
            start = f"network{i}_"
            own = {k.removeprefix(start): v for k, v in stored.items() if k.startswith(start)}
            networks.append(Network(Settings(**sizes), own))
        scale, shift, *few = stored["calibration"].tolist()
        cloud = Cloud.from_arrays(stored) if PREFIX + "sizes" in stored else None
        card = dict(json.loads(str(stored["card"])))
        least, lower = few or (0.0, 0.0)
        return cls(tuple(networks), card, scale, shift, cloud, (least, lower))


def _shortened(name: str, array: NDArray[np.float32]) -> NDArray[Any]:
    """Give learned numbers in float16; ranges of evidence keep float32."""
    if name in STANDARDISATION:
        return array
    if np.abs(array).max(initial=0) > np.finfo(np.float16).max:
        raise InputError(f"The array {name!r} holds numbers beyond the range of float16.")
    return array.astype(np.float16)


def smallness(d: ArrayLike) -> Any:
    """Tell how small tables of d columns are: 1 up to four columns, 0 from 24 on.

    Examples
    --------
    >>> smallness([2, 4, 10, 24, 300]).round(2)
    array([1.  , 1.  , 0.49, 0.  , 0.  ])
    """
    few, many = np.log(FEW_COLUMNS)
    return np.clip((many - np.log(np.maximum(d, 1))) / (many - few), 0.0, 1.0)


@dataclass(frozen=True)
class JudgeReference:
    """A judge by name: what fitted models keep of it.

    Attributes
    ----------
    name : str
        As its card says.
    fingerprint : str
        Of all its numbers; two judges with the same judge alike.
    """

    name: str
    fingerprint: str

    @classmethod
    def to(cls, judge: Judge) -> JudgeReference:
        """Name a judge."""
        return cls(str(judge.card.get("name", "")), judge.fingerprint)


def find_judge(judge: Any) -> Judge:
    """Return the judge that a parameter means; None means the shipped one."""
    if judge is None:
        return _shipped()
    if isinstance(judge, Judge):
        return judge
    if isinstance(judge, str | Path):
        return Judge.load(judge)
    raise InputError(f"judge must be a Judge, a path or None, not {judge!r}.")


_shipped = cache(Judge.load)


OTHERWISE = Notice(
    "unlike-training-other",
    "Its dependences are not like theirs. Other warnings may name the reason, such as copies of "
    "columns or rows. See whether another estimator, such as SharedForest, finds the same edges.",
)
"""Said of a table of a usual size that lies outside the cloud."""


def unlike_training(judge: Judge, evidence: Evidence) -> tuple[Notice, ...]:
    """Find in what a table is unlike those of the judge's training; nothing if it has no cloud."""
    if judge.cloud is None:
        return ()
    summary = table_summary(evidence)
    sizes = tuple(judge.cloud.sizes_beyond(summary))
    return (*sizes, OTHERWISE) if judge.cloud.outside(summary) else sizes


def kept_apart(card: Card) -> Mapping[str, Any]:
    """Return how well the judge does on tables that were kept apart.

    Examples
    --------
    >>> kept_apart({"calibration": {"after": {"ece": 0.002}}}), kept_apart({})
    ({'ece': 0.002}, {})
    """
    return (card.get("calibration") or {}).get("after") or {}


def of_all_runs(card: Card, key: str) -> str:
    """Write a number of all training runs: once if they agree, nothing if it is not known.

    Examples
    --------
    >>> card = {"runs": [{"tables": 1000, "steps": 50}, {"tables": 1000, "steps": 60}]}
    >>> of_all_runs(card, "tables"), of_all_runs(card, "steps"), of_all_runs(card, "rows")
    ('1,000', '50 and 60', '')
    """
    runs = card.get("runs") or []
    return " and ".join(dict.fromkeys(f"{run[key]:,}" for run in runs if key in run))
