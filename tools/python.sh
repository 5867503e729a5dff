#!/usr/bin/env bash
# Builds the Python package in place, makes an environment to test it in, and runs its tests, the examples of its
# documents and the check of its types. `python.sh` alone does everything; `python.sh env` only builds, and prints what to
# put before a command. Further arguments go to pytest.
# LIVETIME_PYTHON: the interpreter, 3.11 or newer; default python3.
# LIVETIME_VENV: where the environment is; default in the target folder.
set -euo pipefail
cd "$(dirname "$0")/.."
repository="$PWD"
target="${CARGO_TARGET_DIR:-$PWD/target}"
venv="${LIVETIME_VENV:-$target/python-venv}"
package="$target/python"
wanted="numpy==2.4.6 pytest==9.2.0 pytest-timeout==2.4.0 mypy==2.4.1 numcodecs==0.16.6 distributed==2026.8.0 cloudpickle==3.1.2"
wanted="$wanted nbclient==0.11.0 anywidget==0.11.0 ipykernel==7.4.0 nbformat==5.11.1 p4p==4.3.0 zarr==3.1.6 pyright==1.1.414 executorlib==1.11.0"
python="${LIVETIME_PYTHON:-python3}"

missing() { echo "$1" >&2; exit 77; }

command -v "$python" > /dev/null || missing "no $python: install Python 3.11 or newer, or set LIVETIME_PYTHON"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
    || missing "wanted Python 3.11 or newer, found $("$python" --version); set LIVETIME_PYTHON"
if [ "$(cat "$venv/wanted" 2> /dev/null)" != "$wanted" ]; then
    "$python" -m venv "$venv" >&2 || missing "$python cannot make an environment (python3-venv?)"
    # shellcheck disable=SC2086
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check $wanted >&2 \
        || missing "the packages for the tests cannot be had from PyPI"
    echo "$wanted" > "$venv/wanted"
fi
# Behind the tests of the workspace (LIVETIME_WORKSPACE), the package is built as one of it: alone its libraries would be
# built again, with the features that it alone asks for.
if [ -n "${LIVETIME_WORKSPACE:-}" ]; then
    # shellcheck disable=SC2086 # several words
    cargo build $LIVETIME_WORKSPACE --lib --tests --locked >&2
else
    cargo build --package livetime-python --locked >&2
fi
rm -rf "$package"
mkdir -p "$package"
cp -R python/py/livetime "$package/livetime"
cp "$target/debug/lib_livetime.so" "$package/livetime/_livetime.abi3.so"
export PYTHONPATH="$package" PYTHONDONTWRITEBYTECODE=1
if [ "${1:-}" = env ]; then
    echo "PYTHONPATH=$package $venv/bin/python"
    exit
fi
"$venv/bin/python" -m pytest -q --timeout 900 --rootdir python -c python/pyproject.toml "$@" python/tests
"$venv/bin/python" -m pytest -q --timeout 900 --rootdir python -c python/pyproject.toml --doctest-glob='*.md' \
    docs/python.md docs/python-*.md
"$venv/bin/python" -m pytest -q --timeout 900 --rootdir python -c python/pyproject.toml --doctest-modules --pyargs livetime \
    --ignore-glob='*/zarr*.py'
(
    cd "$package"
    "$venv/bin/python" -m mypy -p livetime --config-file "$repository/python/pyproject.toml"
    "$venv/bin/python" -m mypy.stubtest livetime._livetime --mypy-config-file "$repository/python/pyproject.toml"
)
