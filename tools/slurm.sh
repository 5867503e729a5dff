#!/usr/bin/env bash
# Runs a command on a Slurm of this machine alone: `bash tools/slurm.sh COMMAND…`. The daemons (munged, slurmctld, slurmd) are
# started for this command, with keys, logs and state in a folder of their own, on free ports of loopback, and are ended
# after it; a Slurm that the machine has already is not touched. They need root. Exit code 9, with the reason: they cannot
# run here. As root in CI (CI=true) Debian's packages are installed when they are missing.
set -euo pipefail

cannot() { echo "no Slurm: $1"; exit 9; }
[ $# -gt 0 ] || { echo "wanted a command, found none" >&2; exit 2; }
[ "$(id -u)" = 0 ] || cannot "the daemons need root"
PATH="$PATH:/usr/sbin"
all_there() { for program in munged slurmctld slurmd sbatch sinfo; do command -v "$program" > /dev/null || return 1; done; }
if ! all_there && [ "${CI:-}" = true ] && command -v apt-get > /dev/null; then
    apt-get install -y --no-install-recommends slurmctld slurmd slurm-client munge > /dev/null 2>&1 || true
fi
all_there || cannot "apt-get install slurmctld slurmd slurm-client munge"

folder="$(mktemp -d /tmp/slurm-XXXXXX)"
pids=()
finish() {
    # The newest first: slurmd asks slurmctld, and both ask munged.
    for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
        kill "${pids[$i]}" 2> /dev/null || true
        wait "${pids[$i]}" 2> /dev/null || true
    done
    [ -n "${KEEP_LOGS:-}" ] && { echo "logs in $folder"; return; }
    rm -rf "$folder"
}
trap finish EXIT

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
node="$(uname -n | cut -d. -f1)"
mkdir -p "$folder/munge" "$folder/state" "$folder/spool"
# munged refuses folders that others may write to.
chmod 755 "$folder" "$folder/munge"
(umask 077 && head -c 1024 /dev/urandom > "$folder/munge/key")
cat > "$folder/slurm.conf" << CONF
ClusterName=one
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CryptoType=crypto/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
# Without control groups: machines in containers have none that may be written.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
MailProg=/bin/true
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
CONF
printf 'CgroupPlugin=cgroup/v1\n' > "$folder/cgroup.conf"
export SLURM_CONF="$folder/slurm.conf"

start() {
    "$@" > "$folder/$(basename "$1").out" 2>&1 &
    pids+=($!)
}
# Waits for what happens, at most 30 s.
await() {
    for _ in $(seq 300); do
        "$@" > /dev/null 2>&1 && return
        sleep 0.1
    done
    return 1
}
why() { tail -n 3 "$folder/$1.log" "$folder/$1.out" 2> /dev/null | tr '\n' ' '; }

start munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
    --pid-file="$folder/munge/pid" --log-file="$folder/munged.log" --seed-file="$folder/munge/seed"
await test -S "$folder/munge/socket" || cannot "munged: $(why munged)"
start slurmctld -D -i
await sinfo || cannot "slurmctld: $(why slurmctld)"
start slurmd -D -N "$node"
is_idle() { [ "$(sinfo --noheader --format=%t)" = idle ]; }
await is_idle || cannot "slurmd: $(why slurmd)"
"$@"
