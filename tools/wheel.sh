#!/usr/bin/env bash
# Installs the newest wheel of python/dist (`make wheel`) into an environment of its own, as a user does, and runs there: the
# example of the README, pyana's example in two processes, and a pipeline with a node of Python.
# LIVETIME_PYTHON: the interpreter, 3.11 or newer; default python3.
set -euo pipefail
cd "$(dirname "$0")/.."
repository="$PWD"
wheel="$(find "$PWD/python/dist" -name 'livetime-*.whl' -printf '%T@ %p\n' 2> /dev/null | sort -n | tail -1 | cut -d' ' -f2-)"
[ -n "$wheel" ] || { echo "no wheel in python/dist: run \`make wheel\`" >&2; exit 77; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"${LIVETIME_PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "$wheel"
export PATH="$work/venv/bin:$PATH" PYTHONDONTWRITEBYTECODE=1
unset PYTHONPATH
cd "$work"
mkdir out
python - "$repository/README.md" > example.py <<'END'
import sys
text = open(sys.argv[1], encoding="utf-8").read()
print(text.split("```python\n")[1].split("```")[0], "print(found, total)", sep="\n")
END
python -c 'from livetime.testing import *; write_run("out", [i * 3 for i in images(20)], name="run.xtc", steps=[0, 10])'
python example.py
cp "$repository"/examples/pyana/*.py "$repository"/examples/pyana/pyana.cfg .
livetime-pyana -p 2 out/run.xtc
cat > beamline.py <<'END'
import livetime as lt

@lt.node
def half(image: lt.Array):
    return image // 2
END
printf 'nodes:\n  cam: {type: sim_detector}\n  half: {type: "beamline:half", from: {node: cam, when_full: block}}\n' > p.yaml
python -m livetime run p.yaml --frames 20 | tail -1
echo "$(basename "$wheel"): $(stat -c %s "$wheel") bytes, works with $(python --version)"
