"""Run the sections: ``python -m benchmarks.posterior [section …]``."""

from benchmarks._run import run_sections
from benchmarks.posterior import listed, price, scale, tuning

SECTIONS = {
    "tuning": tuning.run,
    "price": price.run,
    "scale": scale.run,
    "listed": listed.run,
}
run_sections("posterior", SECTIONS, seed=20261115)
