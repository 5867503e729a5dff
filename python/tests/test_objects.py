"""Runs in an object store: read, analysed by pools of processes, behind a signed address."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import pickle
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import livetime as lt
from livetime.testing import OPAL, images, write_run

from conftest import REPOSITORY, skip

SERVER = """
import os, sys
import boto3
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False)
server.start()
endpoint = f'http://127.0.0.1:{server.get_host_and_port()[1]}'
s3 = boto3.client('s3', endpoint_url=endpoint, aws_access_key_id='user', aws_secret_access_key='secret', region_name='us-east-1')
s3.create_bucket(Bucket='runs')
s3.upload_file(sys.argv[1], 'runs', os.path.basename(sys.argv[1]))
print(endpoint, flush=True)
print(s3.generate_presigned_url('get_object', {'Bucket': 'runs', 'Key': os.path.basename(sys.argv[1])}), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str, str]]:
    """A run on a disk, its address in a bucket of moto, and its signed address."""
    made = subprocess.run(["bash", str(REPOSITORY / "tools/peers.sh"), "s3"], capture_output=True, text=True)
    if made.returncode or not made.stdout.strip():
        skip("peer/s3", f"tools/peers.sh s3 fails: {made.stderr.strip()}")
    path = write_run(tmp_path, images(40))
    server = subprocess.Popen(
        [made.stdout.strip(), "-c", SERVER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.stdout.readline().strip())
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "user")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        monkeypatch.setenv("AWS_REGION", "us-east-1")
        yield str(path), f"s3://runs/{os.path.basename(path)}", server.stdout.readline().strip()
    finally:
        server.kill()
        server.wait()


def test_a_pool_of_processes_analyses_a_run_of_a_store(store: tuple[str, str, str]) -> None:
    path, address, _ = store
    here = lt.analyze(lt.open(path), OPAL, "mean,std", workers=1)
    run = lt.open(address)
    assert run.files == [address] and len(run) == 40
    # Processes that are made anew have nothing of this one but its variables.
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        there = lt.analyze(run, OPAL, "mean,std", executor=pool, parts=4)
    for name in ["mean", "std"]:
        np.testing.assert_array_equal(there[name], here[name])
    again = pickle.loads(pickle.dumps(run))
    assert again.files == run.files


def test_a_signature_stays_in_the_process(store: tuple[str, str, str]) -> None:
    path, _, signed = store
    query = signed.partition("?")[2]
    assert query
    run = lt.open(signed)
    assert len(run) == 40 and run.files == [signed.partition("?")[0]]
    here, there = (lt.analyze(each, OPAL, "mean", workers=1) for each in (lt.open(path), run))
    np.testing.assert_array_equal(there["mean"], here["mean"])
    said = [repr(run)]
    with pytest.raises(TypeError, match="signature stays in this process") as refused:
        pickle.dumps(run)
    said.append(str(refused.value))
    with pytest.raises(lt.AnalysisError, match="whose signature no plan keeps") as planned:
        lt.analyze(run, OPAL, "mean", workers="processes", processes=2)
    said.append(str(planned.value))
    with pytest.raises(lt.RecordingError) as missing:
        lt.open(signed.replace(".xtc", ".xtc2"))
    said.append(str(missing.value))
    assert not any(query in text or "Signature=" in text for text in said), said
