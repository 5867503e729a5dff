#!/usr/bin/env bash
# Fetches a library of Java from Maven Central, once, and prints the path of its jar: core-pva, the pvAccess of Phoebus, or jca, the Channel
# Access of Phoebus, CS-Studio and the Archiver Appliance.
# Used by tests, which are skipped without it. Needs a JDK of Java 17 and Maven. PEERS_FOLDER: where; default in the user's cache.
set -euo pipefail
folder="${PEERS_FOLDER:-${XDG_CACHE_HOME:-$HOME/.cache}/livetime/peers}"
# No other jars are needed for plain TCP and UDP.
case "${1:-}" in
    core-pva) artifact=org.phoebus:core-pva:5.0.2 ;;
    jca) artifact=org.epics:jca:2.4.9 ;;
    *) echo "wanted core-pva or jca, found '${1:-}'" >&2; exit 2 ;;
esac
jar="$folder/$1-${artifact##*:}.jar"
javac -version > /dev/null 2>&1 || { echo "a Java development kit is missing" >&2; exit 1; }
mkdir -p "$folder"
# Several tests may ask at the same time.
exec 9> "$folder.java.lock"
flock 9
if [ ! -s "$jar" ]; then
    command -v mvn > /dev/null || { echo "mvn is missing" >&2; exit 1; }
    mvn --quiet --batch-mode org.apache.maven.plugins:maven-dependency-plugin:3.8.1:get \
        -Dartifact="$artifact:jar" -Dtransitive=false >&2
    mvn --quiet --batch-mode org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
        -Dartifact="$artifact:jar" -DoutputDirectory="$folder" >&2
fi
echo "$jar"
