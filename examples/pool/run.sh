#!/usr/bin/env bash
# Runs pool.yaml with a worker that is killed and comes back, and joins the ledgers: `bash examples/pool/run.sh FOLDER`.
set -euo pipefail
livetime="${LIVETIME:-livetime}" pipeline="$(dirname "$0")/pool.yaml" out="${1:?wanted a folder for the reports}"

start() { # HOST REPORT
    "$livetime" run "$pipeline" --host "$1" --peers-within 60s --no-web --no-pva --black-box "$out" --json > "$out/$2.json" &
}
start detector detector; detector=$!
start workers.1 worker1; workers=$!
start workers.2 killed; victim=$!
start workers.3 worker3; workers="$workers $!"
sleep 1
kill -KILL "$victim"
wait "$victim" || true
start workers.2 worker2; workers="$workers $!"
# shellcheck disable=SC2086 # several processes
wait "$detector" && for worker in $workers; do wait "$worker"; done
# Exit code 3: the acts of the killed worker after its last count are unknown. No frame is missing.
"$livetime" ledger "$out"/{detector,worker1,worker2,worker3}.json || [ $? -eq 3 ]
