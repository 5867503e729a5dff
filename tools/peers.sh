#!/usr/bin/env bash
# Makes the Python environment with other implementations of pvAccess, once, and prints its interpreter.
# Used by tests, which are skipped without it. PEERS_FOLDER: where; default in the user's cache.
set -euo pipefail
folder="${PEERS_FOLDER:-${XDG_CACHE_HOME:-$HOME/.cache}/livetime/peers}"
wanted="p4p==4.3.0 pvapy==5.6.0 numpy==2.4.6"
python="$folder/bin/python"
mkdir -p "$folder"
# Several tests may ask at the same time.
exec 9> "$folder.lock"
flock 9
if [ "$(cat "$folder/wanted" 2> /dev/null)" != "$wanted" ]; then
    {
        python3 -m venv "$folder"
        # shellcheck disable=SC2086
        "$python" -m pip install --quiet --disable-pip-version-check $wanted
        "$python" -c "import p4p, pvaccess"
    } >&2
    echo "$wanted" > "$folder/wanted"
fi
echo "$python"
