"""Reads our metrics as Prometheus' own client library does, in both formats, and checks that they are consistent."""

import sys
import urllib.error
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_open
from prometheus_client.parser import text_string_to_metric_families as parse_plain

OPEN = "application/openmetrics-text"


def fetch(url, accept):
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=600) as answer:
        kind = answer.headers["Content-Type"]
        assert (kind.startswith(OPEN)) == (OPEN in accept), kind
        return answer.read().decode()


def check_histogram(family):
    series = {}
    for sample in family.samples:
        labels = {k: v for k, v in sample.labels.items() if k != "le"}
        series.setdefault(tuple(sorted(labels.items())), []).append(sample)
    for samples in series.values():
        buckets = [s for s in samples if s.name.endswith("_bucket")]
        edges = [float(s.labels["le"]) for s in buckets]
        counts = [s.value for s in buckets]
        assert edges == sorted(edges) and edges[-1] == float("inf"), edges
        assert counts == sorted(counts), counts
        (count,) = [s.value for s in samples if s.name.endswith("_count")]
        (total,) = [s.value for s in samples if s.name.endswith("_sum")]
        assert count == counts[-1] and total >= 0, (count, counts, total)
    return len(series)


def check(families):
    families = {f.name: f for f in families}
    value = lambda name, **labels: [
        s.value for s in families[name].samples if labels.items() <= s.labels.items()
    ]
    assert value("livetime_ledger_closed") == [1.0]
    assert value("livetime_frames_sent", node="cam")[0] > 0
    assert value("livetime_queue_capacity_frames", node="end") == [20.0]
    assert value("livetime_pool_limit_bytes")[0] > 0
    assert value("process_cpu_seconds")[0] > 0
    lost = [s for s in families["livetime_frames_discarded"].samples if s.labels["intentional"] == "true"]
    assert lost and lost[0].labels["reason"] == "decimated" and lost[0].value > 0, lost
    kinds = {"livetime_process_duration_seconds": 2, "livetime_frame_age_seconds": 2, "livetime_wait_duration_seconds": 1}
    for name, wanted in kinds.items():
        assert families[name].type == "histogram"
        assert check_histogram(families[name]) == wanted, name
    assert families["livetime_frames_received"].type == "counter"
    return families


def main(url):
    plain = check(parse_plain(fetch(url, "text/plain")))
    wide = check(parse_open(fetch(url, OPEN + ";version=1.0.0,text/plain;q=0.5")))
    assert wide["livetime_build"].type == "info" and wide["livetime_wait_duration_seconds"].unit == "seconds"
    build = plain["livetime_build_info"].samples[0]
    assert build.value == 1 and build.labels["version"] and build.labels["commit"]
    try:
        fetch(url.replace("/metrics", "/other"), "text/plain")
        raise AssertionError("something is served that should not be")
    except urllib.error.HTTPError as error:
        assert error.code == 404
    print("ok", len(plain), len(wide))


main(sys.argv[1])
