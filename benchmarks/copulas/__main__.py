"""Run the sections: ``python -m benchmarks.copulas [section …]``."""

from benchmarks._run import run_sections
from benchmarks.copulas import family_choice, levels, scale, speed, start

SECTIONS = {
    "speed": speed.run,
    "levels": levels.run,
    "scale": scale.run,
    "family_choice": family_choice.run,
    "start": start.run,
}
run_sections("copulas", SECTIONS, seed=20261115)
