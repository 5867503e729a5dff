"""The lines of docs/python*.md for a shell and their pipeline file, as typed; the examples of Python are doctests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

from livetime.testing import images, write_run

PAGES = sorted((REPOSITORY / "docs").glob("python*.md"))
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
BLOCK = re.compile(r"(?:<!-- (?P<why>not run by a test: [^>]+) -->\n)?```sh\n(?P<lines>.*?)```", re.DOTALL)
BLOCKS = [(found["lines"], found["why"]) for found in BLOCK.finditer(TEXT)]


def block(begin: str) -> str:
    found = [lines for lines, why in BLOCKS if why is None and lines.startswith(begin)]
    assert len(found) == 1, (begin, BLOCKS)
    return found[0]


def run(lines: str, folder: Path, program: str) -> str:
    """What the lines print, which must all end well; frames may be lost (3) where the machine is busy."""
    scripts = folder / "bin"
    scripts.mkdir()
    (scripts / "livetime").symlink_to(program)
    (scripts / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (scripts / "python").chmod(0o755)
    environment = {**os.environ, "LIVETIME_PYTHON": sys.executable, "PATH": f"{scripts}:{os.environ['PATH']}"}
    lossy = "".join(f'{name}() {{ command {name} "$@" || [ $? -eq 3 ]; }}\n' for name in ("livetime", "python"))
    command = ["bash", "-c", f"set -e\n{lossy}set -v\n{lines}"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_block_is_run_or_says_why_not():
    assert len(BLOCKS) == TEXT.count("```sh") == 4
    assert sorted(lines.split("\n")[0].split(" ")[0] for lines, why in BLOCKS if why) == ["make", "pip"]
    assert all("PyPI" in why for _, why in BLOCKS if why)


def test_nodes_of_python_in_a_pipeline_file(tmp_path, program):
    found = re.search(r">>> (@lt\.node\n\.\.\. def threshold.*?)\n>>> ", TEXT, re.DOTALL)
    assert found
    (tmp_path / "beamline.py").write_text("import numpy as np\nimport livetime as lt\n\n" + found[1].replace("\n... ", "\n") + "\n")
    pipeline = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    assert len(pipeline) == 1
    (tmp_path / "beamline.yaml").write_text(pipeline[0])
    said = run(block("python -m livetime run"), tmp_path, program)
    assert said.count("cut") >= 2, said


def test_modules_of_pyana(tmp_path, program):
    for path in (REPOSITORY / "examples/pyana").iterdir():
        shutil.copy(path, tmp_path)
    write_run(tmp_path, images(30), name="e236-r0003-s04-c00.xtc")
    write_run(tmp_path, images(1200, (4, 4)), name="run.xtc")
    said = run(block("livetime pyana -c"), tmp_path, program)
    assert (tmp_path / "average.npy").exists(), said
    assert "averaged 1000 pictures" in said, said
