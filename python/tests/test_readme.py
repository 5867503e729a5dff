"""The example of the README, as it stands there."""

from __future__ import annotations

import os

import numpy as np
from conftest import REPOSITORY

from livetime.testing import images, write_run


def test_the_example_runs(tmp_path, monkeypatch, capsys):
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    example = text.split("```python\n")[1].split("```")[0]
    pictures = images(20)
    os.mkdir(tmp_path / "out")
    write_run(tmp_path / "out", [picture * 3 for picture in pictures], name="run.xtc")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), names)
    printed = capsys.readouterr().out
    assert "frames 20, whole 20" in printed and "(60, 80)" in printed
    assert names["total"] == sum(int(picture.sum(dtype=np.uint64)) * 3 for picture in pictures)
