#!/usr/bin/env bash
# Makes a Python environment with other implementations of what we do, once, and prints its interpreter.
# Used by tests, which are skipped without it. `peers.sh` has p4p and pvaPy, `peers.sh ophyd` ophyd-async with p4p,
# `peers.sh metrics` Prometheus' client library, `peers.sh hdf5` h5py, `peers.sh codecs` the codecs of images with p4p and
# pvaPy, `peers.sh parquet` pyarrow, `peers.sh ioc` an EPICS IOC with Channel Access and its clients, `peers.sh bluesky`
# what a beam line runs: bluesky, ophyd-async, event-model, Tiled, h5py with the plugins of HDF5, tifffile; `peers.sh classic`
# what older ones run: bluesky with classic ophyd over Channel Access (pyepics, with libca); `peers.sh nexus` punx, which
# judges NeXus files; `peers.sh kubernetes` the schemas of Kubernetes; `peers.sh clients` more clients of Channel Access:
# caproto's, which needs no libca, and cothread's; `peers.sh zmq` libzmq by pyzmq; `peers.sh s3` moto, a server that speaks
# S3; `peers.sh psana` psana of LCLS-II, without what only the database of SLAC needs (Kerberos).
# PEERS_FOLDER: where; default in the user's cache.
set -euo pipefail
alone=
case "${1:-}" in
    "") name=peers wanted="p4p==4.3.0 pvapy==5.6.0 numpy==2.4.6" check="import p4p, pvaccess" ;;
    ophyd) name=ophyd wanted="ophyd-async==0.21.3 p4p==4.3.0 numpy==2.4.6" check="import ophyd_async.epics.adcore" ;;
    metrics) name=metrics wanted="prometheus_client==0.23.1" check="import prometheus_client.openmetrics.parser" ;;
    hdf5) name=hdf5 wanted="h5py==3.16.0 hdf5plugin==7.1.0 numpy==2.4.6" check="import h5py, hdf5plugin" ;;
    codecs)
        name=codecs
        wanted="blosc==1.11.4 numcodecs==0.16.6 lz4==4.4.5 bitshuffle==0.5.2 p4p==4.3.0 pvapy==5.6.0 numpy==2.4.6"
        check="import blosc, numcodecs.blosc, lz4.block, bitshuffle, p4p, pvaccess"
        ;;
    parquet) name=parquet wanted="pyarrow==26.0.1" check="import pyarrow.parquet" ;;
    ioc)
        name=ioc wanted="softioc==4.7.2 pvxslibs==1.5.3 epicscorelibs==7.0.10.99.0.2 aioca==2.1"
        check="import softioc, aioca, pvxslibs.path"
        ;;
    clients)
        name=clients wanted="caproto==1.3.0 cothread==2.20.1 epicscorelibs==7.0.10.99.0.2 numpy==2.4.6"
        check="import caproto.threading.client, cothread.catools"
        ;;
    zmq) name=zmq wanted="pyzmq==27.3.0" check="import zmq; assert zmq.has('curve')" ;;
    nexus) name=nexus wanted="punx==0.3.5 h5py==3.16.0 numpy==2.4.6" check="import punx.validate" ;;
    bluesky)
        name=bluesky
        wanted="bluesky==1.15.1 ophyd-async==0.21.3 p4p==4.3.0 event-model==1.24.0 tiled[server,client]==0.2.20 h5py==3.16.0"
        wanted="$wanted hdf5plugin==7.1.0 tifffile==2026.3.3 pillow==12.0.0 numpy==2.4.6"
        check="import bluesky, ophyd_async.epics.adsimdetector, event_model, tiled.client, h5py, hdf5plugin, tifffile, PIL"
        ;;
    classic)
        name=classic
        wanted="ophyd==1.11.2 pyepics==3.5.10 bluesky==1.15.1 event-model==1.24.0 h5py==3.16.0 tifffile==2026.3.3 numpy==2.4.6"
        check="import ophyd.areadetector, epics, bluesky, event_model, h5py, tifffile"
        ;;
    kubernetes) name=kubernetes wanted="kubernetes-validate==1.37.0" check="import kubernetes_validate" ;;
    psana)
        name=psana alone="psana==4.3.4"
        wanted="numpy==2.4.6 h5py==3.16.0 scipy==1.17.1 amityping==1.3.0 mpi4py==4.1.2 mpich==5.0.2 prometheus_client==0.23.1"
        wanted="$wanted kafka-python==3.0.12 psutil==7.2.2 pymongo==4.20.1 pyzmq==27.3.0 requests==2.34.2 matplotlib==3.11.2"
        check="import os; os.environ['PS_PARALLEL'] = 'none'; import psana"
        ;;
    s3) name=s3 wanted="moto[server,s3]==5.2.5 rangehttpserver==1.4.0" check="import moto.server, RangeHTTPServer" ;;
    *) echo "wanted nothing, ophyd, metrics, hdf5, codecs, parquet, ioc, clients, nexus, bluesky, classic, kubernetes, psana, s3 or zmq, found $1" >&2; exit 2 ;;
esac
folder="${PEERS_FOLDER:-${XDG_CACHE_HOME:-$HOME/.cache}/livetime}/$name"
python="$folder/bin/python"
mkdir -p "$folder"
# Several tests may ask at the same time.
exec 9> "$folder.lock"
flock 9
if [ "$(cat "$folder/wanted" 2> /dev/null)" != "$wanted${alone:+ $alone}" ]; then
    {
        python3 -m venv "$folder"
        # shellcheck disable=SC2086
        "$python" -m pip install --quiet --disable-pip-version-check $wanted
        if [ -n "$alone" ]; then
            "$python" -m pip install --quiet --disable-pip-version-check --no-deps "$alone"
            # Stands for the package of Kerberos tickets, which needs the system's libraries, and asks for none here.
            packages="$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
            echo "KerberosTicket = None" > "$packages/krtc.py"
        fi
        "$python" -c "$check"
    } >&2
    echo "$wanted${alone:+ $alone}" > "$folder/wanted"
fi
echo "$python"
