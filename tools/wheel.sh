#!/usr/bin/env bash
# The wheel of the Python package, which also brings the program `livetime`: a script for what the extension module has.
# wheel.sh build: makes it, in python/dist. wheel.sh test: installs the newest into an environment of its own, as a user does, and
# runs there: the program, the example of the README, pyana's example in two processes, a pipeline with a node of Python; then
# removes it again.
# LIVETIME_PYTHON: the interpreter, 3.11 or newer; default python3.
set -euo pipefail
cd "$(dirname "$0")/.."
repository="$PWD"
python="${LIVETIME_PYTHON:-python3}"
target="${CARGO_TARGET_DIR:-$PWD/target}"

build() {
    local tools="$target/wheel-venv"
    "$python" -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check "maturin==1.16.0"
    mkdir -p python/dist
    local features=()
    if command -v c++ > /dev/null; then features=(--features kafka); else echo "no C++ compiler: without links over Kafka" >&2; fi
    "$tools/bin/maturin" build --manifest-path python/Cargo.toml "${features[@]}" --out python/dist
    ls -l python/dist
}

try() {
    local wheel venv
    wheel="$(find "$PWD/python/dist" -name 'livetime-*.whl' -printf '%T@ %p\n' 2> /dev/null | sort -n | tail -1 | cut -d' ' -f2-)"
    [ -n "$wheel" ] || { echo "no wheel in python/dist: run \`make wheel\`" >&2; exit 77; }
    work="$(mktemp -d)"
    trap 'rm -rf "$work"' EXIT
    venv="$work/venv"
    "$python" -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "$wheel"
    export PYTHONDONTWRITEBYTECODE=1
    unset PYTHONPATH LIVETIME_PYTHON
    cd "$work"
    node_of_python "$venv"
    export PATH="$venv/bin:$PATH"
    program "$venv"
    package
    pip uninstall --quiet --yes livetime
    [ ! -e "$venv/bin/livetime" ] || { echo "the program is still there after pip uninstall" >&2; exit 1; }
    echo "$(basename "$wheel"): $(stat -c %s "$wheel") bytes, works with $("$venv/bin/python" --version)"
}

# The environment is not activated: the program finds the interpreter that has the package.
node_of_python() {
    cat > beamline.py << 'END'
import livetime as lt

@lt.node
def half(image: lt.Array):
    return image // 2
END
    printf 'nodes:\n  cam: {type: sim_detector}\n  half: {type: "beamline:half", from: {node: cam, when_full: block}}\n' > p.yaml
    "$1/bin/livetime" run p.yaml --python --frames 20 | tail -1
    "$1/bin/python" -m livetime run p.yaml --frames 20 | tail -1
}

program() {
    [ "$(command -v livetime)" = "$1/bin/livetime" ]
    case "$(livetime --version)" in
        "livetime $(python -c 'import livetime; print(livetime.__version__)') "*) ;;
        *) echo "program and package are of different versions" >&2; exit 1 ;;
    esac
    livetime run --frames 10 --no-pva --no-web | tail -1
    mkdir out
    livetime sim xtc out/run.xtc --count 20
}

package() {
    python - "$repository/README.md" > example.py << 'END'
import sys
text = open(sys.argv[1], encoding="utf-8").read()
print(text.split("```python\n")[1].split("```")[0], "print(found, total)", sep="\n")
END
    python example.py
    python -c 'from livetime.testing import *; write_run("out", [i * 3 for i in images(20)], name="opal.xtc", steps=[0, 10])'
    cp "$repository"/examples/pyana/*.py "$repository"/examples/pyana/pyana.cfg .
    livetime pyana -p 2 out/opal.xtc
}

case "${1:-}" in
    build) build ;;
    test) try ;;
    *) echo "usage: tools/wheel.sh build | test" >&2; exit 2 ;;
esac
