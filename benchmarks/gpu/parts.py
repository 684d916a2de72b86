"""Each part on the GPU by itself, timed: for finding out where the time goes."""

import subprocess
import sys
import time
import traceback

import numpy as np

START = time.time()


def say(*words):
    print(f"[{time.time() - START:6.1f}]", *words, flush=True)


def part(function):
    try:
        function()
    except Exception:
        say("FAILED", function.__name__)
        traceback.print_exc(limit=-6, file=sys.stdout)


def best(run, rounds=3):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def table(n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    for k in range(1, d):
        if k % 10:
            X[:, k] = 0.75 * X[:, k - 1] + 0.66 * X[:, k]
    for g in range(0, d, 20):
        X[:, g : g + 10] /= np.sqrt(rng.chisquare(3, size=(n, 1)) / 3)
    flip = rng.uniform(size=d) < 0.3
    X[:, flip] *= -1
    from spinney import pseudo_observations

    return pseudo_observations(X)


WARM = """
import numpy as np
from spinney import PairCopulas, forests
from spinney.posterior import ladder
U = np.random.default_rng(0).uniform(0.01, 0.99, size=(50, 4))
L = PairCopulas().fit(U).log_density(U)
ladder(L, np.ones(6), n_subsets=2)
rng = np.random.default_rng(0)
forests.evaluate(rng.uniform(size=1225), rng.uniform(size=(20, 1225)))
forests.forest_posterior(rng.normal(size=(9, 1225)))
"""


def main():
    warm = [subprocess.Popen([sys.executable, "-c", WARM])]
    import torch

    say("torch", torch.__version__, torch.cuda.get_device_name(0))

    def transfers():
        a = np.random.default_rng(0).uniform(size=500_000_000 // 8)
        t = torch.as_tensor(a, device="cuda")
        torch.cuda.synchronize()

        def up():
            torch.as_tensor(a, device="cuda")
            torch.cuda.synchronize()

        def down():
            t.cpu()

        out = np.empty_like(a)
        view = torch.from_numpy(out)

        def down_to():
            view.copy_(t)

        pinned = torch.empty(t.shape, dtype=t.dtype, pin_memory=True)

        def up_pinned():
            pinned.copy_(torch.from_numpy(a))
            t.copy_(pinned)
            torch.cuda.synchronize()

        for f in (up, down, down_to, up_pinned):
            say("transfer of 500 MB:", f.__name__, f"{best(f) * 1e3:.1f} ms")

    def judge():
        from spinney.judge import Judge
        from spinney.judge._torch import torch_logits

        own = Judge.load()
        network = own.networks[0]
        say("judge: networks", len(own.networks), network.settings)
        for d in (300, 1000):
            rng = np.random.default_rng(0)
            n_pairs = d * (d - 1) // 2
            even = rng.normal(size=(n_pairs, own.n_even)).astype(np.float32)
            odd = rng.normal(size=(n_pairs, own.n_odd)).astype(np.float32)
            one = best(lambda: torch_logits(network, even, odd, "cuda"))
            say(f"judge torch d={d}: {one * 1e3:.1f} ms a network")
            found = own.logits(even, odd, device="cuda")
            if d == 300:
                start = time.perf_counter()
                other = own.logits(even, odd, n_jobs=2)
                cpu = time.perf_counter() - start
                say(f"judge numpy d={d}, all networks: {cpu:.2f} s", np.abs(found - other).max())
            every = best(lambda: own.logits(even, odd, device="cuda"))
            say(f"judge torch d={d}, all networks: {every * 1e3:.1f} ms")
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as p:
            torch_logits(network, even, odd, "cuda")
        rows = p.key_averages().table(sort_by="cuda_time_total", row_limit=14)
        print("\n".join(line[:60] + line[-70:] for line in rows.splitlines()))

    def forests_device():
        from spinney.forests import _engine_cuda as engine
        from spinney.forests._cuda_program import eliminate, resist
        from spinney.forests._cuda_tiles import DeviceTiles
        from spinney.forests._networks import Pattern
        from spinney._pairs import pair_nodes

        for d, n in ((500, 500), (1000, 170), (5000, 24), (5000, 100)):
            first, second = pair_nodes(d)
            k = len(first)
            pattern = engine.DensePattern(
                Pattern(d, first, second, np.arange(k), np.ones(k), np.ones(d))
            )
            g = torch.Generator(device="cuda").manual_seed(0)
            w = torch.randn((n, k), dtype=torch.float64, device="cuda", generator=g).exp_()
            engine.solve_dense(w, pattern, resistances=True)
            torch.cuda.synchronize()

            def run():
                engine.solve_dense(w, pattern, resistances=True)
                torch.cuda.synchronize()

            whole = best(run, 2)
            listed = torch.cat([w, pattern.ground.expand(n, -1), w.new_zeros((n, 1))], dim=1)
            start = time.perf_counter()
            W = listed.index_select(1, pattern.places).view(n, d + 1, d + 1)
            torch.cuda.synchronize()
            fill = time.perf_counter()
            totals = eliminate(W, DeviceTiles())
            torch.cuda.synchronize()
            forward = time.perf_counter()
            resist(W, totals, DeviceTiles())
            torch.cuda.synchronize()
            backward = time.perf_counter()
            W.view(n, -1).index_select(1, pattern.cells)
            torch.cuda.synchronize()
            end = time.perf_counter()
            flops = n * (4 / 3) * d**3
            say(
                f"forests d={d} n={n}: {whole * 1e3:.1f} ms, {flops / whole / 1e12:.1f} TFLOP/s;"
                f" fill {1e3 * (fill - start):.1f}, forward {1e3 * (forward - fill):.1f},"
                f" backward {1e3 * (backward - forward):.1f}, gather {1e3 * (end - backward):.1f}"
                f" ms; at most {engine.batch_size(d + 1, k)} networks at a time"
            )
            del w, W, listed, totals
            torch.cuda.empty_cache()

    def copulas():
        from numba import cuda

        from spinney._pairs import pair_nodes
        from spinney.copulas._block import Rule, empty_fits, fit_pairs
        from spinney.copulas.candidates import lay_out
        from spinney.copulas.coordinates import coordinates
        from spinney.copulas.cuda import fitting, stages
        from spinney.copulas.folds import draw_folds, sort_by_fold
        from spinney.copulas.work import taus_of
        from spinney.copulas.registry import family_names
        from spinney.copulas.student import DF_GRID

        names = family_names("default")
        candidates, _, layout = lay_out(names, DF_GRID)
        rule = Rule(True, 0.0, 1.0, False)

        def prepared(d, n=200):
            U = table(n, d, 0)
            order, folds = sort_by_fold(draw_folds(n, 5, 0))
            first, second = pair_nodes(d)
            taus = taus_of(U, first, second, "cuda")
            return coordinates(U[order], layout), first, second, taus, folds

        where, first, second, taus, folds = prepared(300)
        part = empty_fits(len(first), 5, len(names))
        found = {}
        for registers in (96, 64, 168):
            stages.REGISTERS = registers
            fitting._stages.cache_clear()
            fit = fitting.DeviceFit(candidates)
            start = time.perf_counter()
            fit(where, first, second, taus, folds, rule, candidates, part)
            compiled = time.perf_counter() - start

            def run():
                fit(where, first, second, taus, folds, rule, candidates, part)

            found[registers] = best(run, 2)
            say(
                f"copulas d=300, {registers} registers: {found[registers]:.3f} s"
                f" ({len(first) / found[registers] / 1e6:.2f} M pairs/s), compiled {compiled:.1f} s"
            )
        for process in warm:
            process.wait()
        say("processor's kernels are compiled")
        some = slice(0, 10_000)
        mine = empty_fits(10_000, 5, len(names))
        start = time.perf_counter()
        fit_pairs(where, first[some], second[some], taus[some], folds, rule, candidates, mine)
        cpu = time.perf_counter() - start
        say(f"copulas on one core: {cpu / 10_000 * 1e6:.1f} us a pair")
        part = type(part)(*(a[some] for a in part))
        other = mine.candidate != part.candidate
        say("share of other candidates:", other.mean())
        for name, a, b in zip(mine._fields, mine, part, strict=True):
            a, b = a[~other], b[~other]
            with np.errstate(all="ignore"):
                gap = np.abs(np.where(a == b, 0.0, a - b)) / np.maximum(np.abs(a), 1)
            nans = (np.isnan(a) != np.isnan(b)).sum()
            say("  ", name, "nan in one only:", nans, "largest gap:", np.nanmax(gap))
        where, first, second, taus, folds = prepared(1000)
        part = empty_fits(len(first), 5, len(names))
        for blocks in (16, 32, 64):
            fitting.BLOCKS = 132 * blocks
            fit = fitting.DeviceFit(candidates)
            run = lambda: fit(where, first, second, taus, folds, rule, candidates, part)  # noqa
            say(f"copulas d=1000, blocks 132 x {blocks}: {best(run, 2):.3f} s")
        # Where the time goes: every kernel by itself.
        own, seconds = fitting._stages, {}

        def timed(kernel, name):
            class Launch:
                def __getitem__(self, size):
                    def call(*arguments):
                        start = time.perf_counter()
                        kernel[size](*arguments)
                        cuda.synchronize()
                        spent = time.perf_counter() - start
                        seconds.setdefault(name, []).append(spent)

                    return call

            return Launch()

        def watched(density, score, method):
            compiled = own(density, score, method)
            name = getattr(density, "__module__", "none").split(".")[-1]
            return type(compiled)(
                timed(compiled.fit, f"fit {name}"), timed(compiled.refit, f"refit {name}")
            )

        fitting._stages = watched
        start = time.perf_counter()
        run()
        say(f"copulas d=1000, one kernel after the other: {time.perf_counter() - start:.3f} s")
        for name, spent in seconds.items():
            say("  ", name, " ".join(f"{1e3 * s:.0f}" for s in spent), "ms")
        fitting._stages = own

    def ladders():
        from spinney import PairCopulas
        from spinney.posterior import ladder

        for process in warm:
            process.wait()
        U = table(200, 1000, 1)
        for _ in range(2):
            start = time.perf_counter()
            pairs = PairCopulas(device="cuda").fit(U)
            fitted = time.perf_counter()
            L = pairs.log_density(U)
            end = time.perf_counter()
            say(f"PairCopulas d=1000: fit {fitted - start:.3f}, log_density {end - fitted:.3f} s")
        k = pairs.n_parameters_
        say("share of pairs with parameters:", (k > 0).mean())
        start = time.perf_counter()
        here = PairCopulas(n_jobs=2, device="cpu")
        here.__dict__.update({f: v for f, v in pairs.__dict__.items() if f.endswith("_")})
        here._table, here._held_out = pairs._table, pairs._held_out
        M = here.log_density(U)
        say(f"log_density two cores {time.perf_counter() - start:.2f} s, gap {np.abs(L - M).max()}")
        for what in (k, np.maximum(k, 1)):
            for _ in range(3):
                start = time.perf_counter()
                there = ladder(L, what, n_subsets=24, device="cuda")
                gpu = time.perf_counter() - start
                say(f"ladder d=1000: GPU {gpu:.3f} s, {there.n_subsets.sum()} networks")
            start = time.perf_counter()
            here = ladder(L, what, n_subsets=24, threads=2)
            cpu = time.perf_counter() - start
            gap = np.abs(here.probabilities - there.probabilities).max()
            say(f"ladder d=1000: two threads {cpu:.3f} s, {cpu / gpu:.1f} x, gap {gap:.1e}")

    def processor():
        from spinney import forests

        rng = np.random.default_rng(0)
        d, n = 500, 100
        W = np.exp(rng.normal(size=(n, d * (d - 1) // 2)))
        beta = rng.uniform(size=W.shape[1])
        samples = forests.Samples(W)
        here = forests.Context(threads=2)
        cpu = best(lambda: forests.evaluate(beta, samples, context=here), 2)
        there = forests.Context(device="cuda")
        a = forests.evaluate(beta, samples, context=here)
        b = forests.evaluate(beta, samples, context=there)
        gpu = best(lambda: forests.evaluate(beta, samples, context=there))
        again = best(lambda: forests.evaluate(beta, W, context=there))
        say(
            f"evaluate (100, 500): two threads {cpu:.3f} s, GPU {gpu:.4f} s (sent anew"
            f" {again:.4f}); gaps {np.abs(a.log_partition / b.log_partition - 1).max():.1e}"
            f" {np.abs(a.weighted_resistance / b.weighted_resistance - 1).max():.1e}"
        )
        W = np.exp(rng.normal(size=(500, d * (d - 1) // 2)))
        samples = forests.Samples(W)
        gpu = best(lambda: forests.evaluate(beta, samples, context=there))
        again = best(lambda: forests.evaluate(beta, W, context=there))
        say(f"evaluate (500, 500): GPU {gpu:.4f} s, sent anew {again:.4f} s")

    for step in (copulas, processor, ladders):
        part(step)
    say("done")


if __name__ == "__main__":
    main()
