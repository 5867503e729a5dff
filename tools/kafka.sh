#!/usr/bin/env bash
# A real Apache Kafka broker on loopback, for tests, examples and measurements; needs a Java of version 17 and Maven.
#   tools/kafka.sh start FOLDER [PORT]   starts a broker with its data in FOLDER and prints its address. A broker that was
#                                        stopped or killed starts again with its data, at its port. Without PORT: a free one.
#                                        With KAFKA_PASSWORD=TEXT the user `livetime` with this password may also come to the
#                                        port in FOLDER/port.sasl (SASL_PLAINTEXT, mechanism PLAIN).
#   tools/kafka.sh stop FOLDER           ends it; `kill -9 "$(cat FOLDER/pid)"` ends it as a crash would
#   tools/kafka.sh jars                  prints the folder of the broker's jars, which are fetched once
# Each FOLDER is a broker of its own. With KAFKA_WITH=PID it ends with that process, and its data are removed. KAFKA_FOLDER: where the jars lie; default in the user's cache.
set -euo pipefail
version=4.3.1
jars="${KAFKA_FOLDER:-${XDG_CACHE_HOME:-$HOME/.cache}/livetime/kafka}/$version"
# A broker for tests needs little memory.
java=(java -Xmx512m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$jars/*")

fetch() {
    java -version > /dev/null 2>&1 || { echo "java is missing" >&2; exit 1; }
    mkdir -p "$jars"
    # Several callers may ask at the same time.
    exec 9> "$jars.lock"
    flock 9
    if [ ! -e "$jars/whole" ]; then
        command -v mvn > /dev/null || { echo "mvn is missing" >&2; exit 1; }
        local dependency='<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>'
        {
            echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
            echo '<groupId>org.livetime</groupId><artifactId>broker</artifactId><version>1</version><packaging>pom</packaging>'
            echo '<dependencies>'
            # shellcheck disable=SC2059
            printf "$dependency\n" org.apache.kafka kafka_2.13 "$version" org.apache.kafka kafka-tools "$version" \
                org.slf4j slf4j-simple 1.7.36
            echo '</dependencies></project>'
        } > "$jars/pom.xml"
        mvn --quiet --batch-mode -f "$jars/pom.xml" \
            org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
            -DincludeScope=runtime -DoutputDirectory="$jars" >&2
        touch "$jars/whole"
    fi
    exec 9>&-
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# The process may have ended, and another one may have its number.
is_up() { [ -s "$folder/pid" ] && grep -qaF "$folder/server.properties" "/proc/$(cat "$folder/pid")/cmdline" 2> /dev/null; }

answers() { (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }

configure() {
    local broker="${1:-$(free_port)}" controller
    controller="$(free_port)"
    cat > "$folder/server.properties" << END
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:$broker,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:$broker
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=$folder/data
message.max.bytes=16777216
replica.fetch.max.bytes=16777216
auto.create.topics.enable=false
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
log.retention.check.interval.ms=1000
END
    if [ -n "${KAFKA_PASSWORD:-}" ]; then with_password "$broker" "$controller" >> "$folder/server.properties"; fi
    "${java[@]}" kafka.tools.StorageTool format -t "$("${java[@]}" kafka.tools.StorageTool random-uuid)" \
        -c "$folder/server.properties" >> "$folder/log" 2>&1
    echo "$broker" > "$folder/port"
}

# A second listener that wants a password. Of a setting that is there twice the later one counts.
with_password() {
    local secured
    secured="$(free_port)"
    echo "$secured" > "$folder/port.sasl"
    cat << END
listeners=PLAINTEXT://127.0.0.1:$1,CONTROLLER://127.0.0.1:$2,SASL://127.0.0.1:$secured
advertised.listeners=PLAINTEXT://127.0.0.1:$1,SASL://127.0.0.1:$secured
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL:SASL_PLAINTEXT
listener.name.sasl.sasl.enabled.mechanisms=PLAIN
listener.name.sasl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_livetime="$KAFKA_PASSWORD";
END
}

# Ends the broker, and removes its data, with the process KAFKA_WITH.
watch() {
    setsid bash -c 'while kill -0 "$0" && kill -0 "$1"; do sleep 1; done; kill -0 "$0" || { kill -9 "$1"; rm -rf "$2"; }' \
        "$KAFKA_WITH" "$(cat "$folder/pid")" "$folder" > /dev/null 2>&1 < /dev/null 8>&- &
}

start() {
    mkdir -p "$folder"
    folder="$(cd "$folder" && pwd)"
    exec 8> "$folder/lock"
    flock 8
    [ -s "$folder/port" ] || configure "$@"
    local port
    port="$(cat "$folder/port")"
    if ! is_up; then
        # A session of its own, so that the end of the caller's does not end it. It does not fork here: $! is the broker.
        setsid "${java[@]}" kafka.Kafka "$folder/server.properties" >> "$folder/log" 2>&1 < /dev/null 8>&- &
        echo $! > "$folder/pid"
        [ -z "${KAFKA_WITH:-}" ] || watch
    fi
    for _ in $(seq 600); do
        answers "$port" && { echo "127.0.0.1:$port"; return; }
        is_up || break
        sleep 0.2
    done
    echo "the broker does not start: $(grep -m 1 -E 'ERROR|Exception' "$folder/log" || tail -n 1 "$folder/log")" >&2
    exit 1
}

stop() {
    folder="$(cd "$folder" && pwd)"
    is_up || return 0
    kill "$(cat "$folder/pid")"
    for _ in $(seq 300); do
        is_up || return 0
        sleep 0.1
    done
    kill -9 "$(cat "$folder/pid")"
}

folder="${2:-}"
case "${1:-}" in
    jars) fetch; echo "$jars" ;;
    start) [ -n "$folder" ] || { echo "wanted a folder" >&2; exit 2; }; fetch; shift 2; start "$@" ;;
    stop) [ -n "$folder" ] || { echo "wanted a folder" >&2; exit 2; }; stop ;;
    *) echo "wanted start, stop or jars, found '${1:-}'" >&2; exit 2 ;;
esac
