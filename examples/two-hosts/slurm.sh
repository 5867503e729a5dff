#!/bin/bash
#SBATCH --job-name=two-hosts --ntasks-per-node=1
# A pipeline over hosts as one job of Slurm: `sbatch --nodes=2 slurm.sh`. Task 0 is the first host of HOSTS, task 1 the second.
# The links have no password and no encryption: for clusters whose network is trusted.
set -euo pipefail
export PIPELINE="${PIPELINE:-$PWD/pipeline.yaml}" HOSTS="${HOSTS:-detector analysis}"

# The machines are known only now: host NAME of the file listens at the machine of its task.
mapfile -t machines < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
cp "${SOURCE:-examples/two-hosts/two-hosts.yaml}" "$PIPELINE"
number=0
for host in $HOSTS; do
    sed -i "s|^  $host: {}|  $host: {address: '${machines[$number]}:7440', listen: 0.0.0.0, beyond_loopback: true}|" "$PIPELINE"
    number=$((number + 1))
done
livetime check "$PIPELINE" --hosts

# A host whose peer does not come ends after five minutes, so that the job does.
srun bash -c '
    hosts=($HOSTS)
    host="${hosts[$SLURM_PROCID]}"
    exec livetime run "$PIPELINE" --host "$host" --peers-within 5m --no-web --json > "$host.json"
'
# shellcheck disable=SC2086 # one report for each host
livetime ledger $(printf '%s.json ' $HOSTS)
