#!/usr/bin/env bash
# Compiles the clients and servers of pvxs and pvAccessCPP with g++, against the libraries in the Python environment of
# tools/peers.sh, and prints the folder they are in. With PEERS_FOLDER: there, else in the user's cache.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
python="$("$here/../../tools/peers.sh")"
packages="$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["platlib"])')"
folder="$(dirname "$python")/../bench"
mkdir -p "$folder"
folder="$(cd "$folder" && pwd)"
# The packages are compiled with the string class that g++ had before version 5.
compile() {
    local name=$1
    shift
    g++ -std=c++14 -O2 -Wall -Wno-deprecated-declarations -D_GLIBCXX_USE_CXX11_ABI=0 -pthread "$here/$name.cpp" \
        -o "$folder/$name" -isystem "$packages/pvxslibs/include" -isystem "$packages/epicscorelibs/include" \
        -L"$packages/pvxslibs/lib" -L"$packages/epicscorelibs/lib" \
        -Wl,-rpath,"$packages/pvxslibs/lib" -Wl,-rpath,"$packages/epicscorelibs/lib" "$@"
}
compile pvxs -lpvxs -levent_core -levent_pthread -lCom
compile pvaccess -lpvAccess -lpvData -lCom
echo "$folder"
