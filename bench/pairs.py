#!/usr/bin/env python3
"""Two builds of `livetime-bench` against each other: is any row slower than before?

    bench/pairs.py OLD NEW "engine --quick" "actors --quick" --pairs 41 --json pairs.json

OLD and NEW are programs (`target/release/livetime-bench` of two commits). Each benchmark runs in pairs, old and new in turn
and the order changed from pair to pair, so that a machine that becomes slower meanwhile does so for both. A row is
compared by the ratio of its cost, new by old, within each pair: below 1 is faster. The table shows the median of these
ratios, their quartiles and their spread, the rows that became slower by more than `--limit` first. A benchmark may be
followed by arguments of its own: "codecs --filter lz4". Rows that only one of the two programs has are counted, not
compared. On a machine that others share, many short pairs tell more than few long ones: its speed changes within
seconds, which a pair of short ones does not notice.

Run by hand, on a machine that does nothing else. Exit code 3: three quarters of the pairs of a row are slower than the
limit.
"""
import argparse
import json
import shlex
import statistics
import subprocess
import sys
from pathlib import Path

# What a row costs, and whether more is better. The first one that a row has counts; of codecs both.
COSTS = [
    ("ns_per_frame", False), ("ns", False), ("ns_per_superchunk", False), ("cpu_s_per_100_mb", False),
    ("gets_per_s", True), ("updates_per_s", True), ("loss_free_hz", True), ("cpu_us_per_frame", False),
    ("mean_ns", False), ("seconds", False),
]
BOTH = [("compress_mb_s", True), ("decompress_mb_s", True)]
# Numbers that say which row it is, and are no result.
SETTINGS = {
    "links", "channels", "elements", "workers", "period_s", "subscribers", "bytes", "shape", "receivers", "finders",
    "agents", "nodes", "size",
}


# Rows of the actors' benchmark whose producers took frames from a pool until the rows of the same name allocated.
FROM_THE_POOL = ["one to one", "one to eight", "four to one"]


def with_todays_names(record):
    """The record of an older program, with its rows called what they are called today."""
    rows = record.get("rows", [])
    patterns = {row.get("pattern") for row in rows}
    if record.get("bench") == "actors" and "one to one, frames from the pool" not in patterns:
        record["rows"] = [row for row in rows if row["pattern"] != "one to one, from a plain thread"]
        for row in record["rows"]:
            if row["pattern"] in FROM_THE_POOL:
                row["pattern"] += ", frames from the pool"
    return record


def quartiles(ratios):
    return statistics.quantiles(ratios, n=4, method="inclusive")[::2] if len(ratios) > 1 else ratios * 2


# Says that a node does not do what the row is called, and stands in new records only.
OF_NO_ROW = {"passes_unchanged"}


def name_of(row):
    """What distinguishes a row from the others of its benchmark."""
    says = {k: v for k, v in row.items() if (isinstance(v, (str, bool)) or k in SETTINGS) and k not in OF_NO_ROW}
    return " ".join(f"{v}" if isinstance(v, str) else f"{k}={v}" for k, v in sorted(says.items()) if v not in ("none", ""))


def number(value):
    if isinstance(value, dict):
        value = value.get("median")
    if isinstance(value, list):
        value = statistics.median(value) if value else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def costs_of(record):
    """Name of each row -> its cost; less is better."""
    found = {}
    for row in [*record.get("rows", []), {k: v for k, v in record.items() if k == "loss_free_hz"}]:
        wanted = [(k, up) for k, up in COSTS if number(row.get(k))][:1] or [(k, up) for k, up in BOTH if number(row.get(k))]
        for key, more_is_better in wanted:
            value = number(row[key])
            found[f"{name_of(row)} [{key}]".strip()] = 1 / value if more_is_better else value
    return found


def measure(program, bench):
    # Builds before 25 November 2026 have the benchmarks in `livetime`.
    words = [] if Path(program).name == "livetime-bench" else ["bench"]
    output = subprocess.run([program, *words, *shlex.split(bench), "--json"], stdout=subprocess.PIPE, check=False)
    return with_todays_names(json.loads(output.stdout))


def compare(old, new, bench, pairs):
    ratios, last = {}, {}
    for pair in range(pairs):
        order = [("old", old), ("new", new)]
        both = {which: measure(program, bench) for which, program in (order if pair % 2 == 0 else order[::-1])}
        last = {which: {k: record.get(k) for k in ("commit", "machine")} for which, record in both.items()}
        costs = {which: costs_of(record) for which, record in both.items()}
        for name in costs["old"].keys() & costs["new"].keys():
            ratios.setdefault(name, []).append(costs["new"][name] / costs["old"][name])
        last["only_old"] = sorted(costs["old"].keys() - costs["new"].keys())
        last["only_new"] = sorted(costs["new"].keys() - costs["old"].keys())
        print(f"{bench}: pair {pair + 1} of {pairs}", file=sys.stderr)
    rows = [
        {"row": name, "ratios": [round(r, 4) for r in found], "median": round(statistics.median(found), 4),
         "quartiles": [round(r, 4) for r in quartiles(found)]}
        for name, found in ratios.items()
    ]
    return {"bench": bench, **last, "rows": sorted(rows, key=lambda r: -r["median"])}


def record(results, pairs):
    """All of it, as it is kept in bench/record."""
    first = results[0]
    return {"bench": "pairs", "commit": first["new"]["commit"], "old_commit": first["old"]["commit"],
            "machine": first["new"]["machine"], "pairs": pairs, "results": results}


def show(result, limit):
    rows = result["rows"]
    slower = [r for r in rows if r["median"] > 1 + limit]
    median = statistics.median(r["median"] for r in rows) if rows else float("nan")
    print(f"\n{result['bench']}: {len(rows)} rows, median of all {median:.3f}; {len(slower)} slower than {1 + limit:.2f}; "
          f"only old {len(result['only_old'])}, only new {len(result['only_new'])}")
    for row in slower + [r for r in rows[-3:] if r not in slower]:
        low, high = row["quartiles"]
        print(f"  {row['median']:.3f} (half of them {low:.3f} to {high:.3f}, all {min(row['ratios']):.3f} to "
              f"{max(row['ratios']):.3f})  {row['row']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("benches", nargs="+")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=0.03, help="how much slower is slower (0.03)")
    parser.add_argument("--json", help="where to write the comparison")
    args = parser.parse_args()
    results = []
    for bench in args.benches:
        results.append(compare(args.old, args.new, bench, args.pairs))
        show(results[-1], args.limit)
        if args.json:
            with open(args.json, "w") as file:
                json.dump(record(results, args.pairs), file, indent=1)
    worst = [r for result in results for r in result["rows"] if r["quartiles"][0] > 1 + args.limit]
    return 3 if worst else 0


if __name__ == "__main__":
    sys.exit(main())
