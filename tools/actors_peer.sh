#!/usr/bin/env bash
# Builds bench/actors_peer (the patterns of `livetime-bench actors` on SObjectizer 5.8.4) and prints the path of the program.
# Needs git, cmake and a C++17 compiler. SOBJECTIZER: its sources, where there is no network; PEERS_FOLDER: where to build;
# default in the user's cache.
set -euo pipefail
here="$(cd "$(dirname "$0")/.." && pwd)"
folder="${PEERS_FOLDER:-${XDG_CACHE_HOME:-$HOME/.cache}/livetime/peers}/sobjectizer"
sources="${SOBJECTIZER:-$folder/sources}"
program="$folder/actors_peer"
mkdir -p "$folder"
exec 9> "$folder.lock"
flock 9
{
    [ -d "$sources/dev" ] || git clone --quiet --depth 1 --branch v.5.8.4 \
        https://github.com/Stiffstream/sobjectizer "$sources"
    cmake -S "$sources/dev" -B "$folder/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_ALL=OFF \
        -DSOBJECTIZER_BUILD_SHARED=OFF -DSOBJECTIZER_BUILD_STATIC=ON
    cmake --build "$folder/build" --parallel "$(nproc)"
    "${CXX:-c++}" -std=c++17 -O3 -DNDEBUG -I"$sources/dev" "$here/bench/actors_peer/main.cpp" \
        "$folder"/build/so_5/libso_s.*.a -lpthread -o "$program"
} >&2
echo "$program"
