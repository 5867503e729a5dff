"""The scripts of examples/ladder run, in their order, in one folder."""

from __future__ import annotations

import os
import subprocess
import sys

from conftest import REPOSITORY

STEPS = sorted((REPOSITORY / "examples/ladder").glob("*.py"))


def test_every_step_runs(tmp_path):
    assert len(STEPS) == 12
    for step in STEPS:
        done = subprocess.run([sys.executable, step], cwd=tmp_path, env=dict(os.environ), capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, f"{step.name}\n{done.stdout}{done.stderr}"
        assert done.stdout, step.name
