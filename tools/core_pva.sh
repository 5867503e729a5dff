#!/usr/bin/env bash
# Fetches the pvAccess of Phoebus (core-pva) from Maven Central, once, and prints the path of its jar.
# Used by tests, which are skipped without it. Needs a JDK of Java 17 and Maven. PEERS_FOLDER: where; default in the user's cache.
set -euo pipefail
folder="${PEERS_FOLDER:-${XDG_CACHE_HOME:-$HOME/.cache}/livetime/peers}"
version=5.0.2
jar="$folder/core-pva-$version.jar"
javac -version > /dev/null 2>&1 || { echo "a Java development kit is missing" >&2; exit 1; }
mkdir -p "$folder"
# Several tests may ask at the same time.
exec 9> "$folder.java.lock"
flock 9
if [ ! -s "$jar" ]; then
    command -v mvn > /dev/null || { echo "mvn is missing" >&2; exit 1; }
    # No other jar is needed for plain TCP.
    mvn --quiet --batch-mode org.apache.maven.plugins:maven-dependency-plugin:3.8.1:get \
        -Dartifact="org.phoebus:core-pva:$version:jar" -Dtransitive=false >&2
    mvn --quiet --batch-mode org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
        -Dartifact="org.phoebus:core-pva:$version:jar" -DoutputDirectory="$folder" >&2
fi
echo "$jar"
