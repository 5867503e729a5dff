#!/usr/bin/env bash
# The tests of the web page (`npm run test` in web/): types, unit tests, whether the committed bundle is what its sources make, its size,
# and the page in Chromium against the program. Ends with 77 when Node, packages of npm or Chromium are missing; it says which.
set -euo pipefail
cd "$(dirname "$0")/.."
target="${CARGO_TARGET_DIR:-$PWD/target}"

missing() { echo "$1" >&2; exit 77; }

command -v npm > /dev/null || missing "no npm: install Node 20.19 or newer"
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' \
    || missing "wanted Node 20.19 or newer, found $(node --version)"
[ -x "${LIVETIME_PROGRAM:-}" ] || cargo build --package livetime --locked >&2
cd web
if ! cmp -s package-lock.json node_modules/.installed; then
    npm ci --no-audit --no-fund >&2 || missing "the packages of web/package-lock.json cannot be had from npm"
    cp package-lock.json node_modules/.installed
fi
export LIVETIME_PROGRAM="${LIVETIME_PROGRAM:-$target/debug/livetime}" NO_COLOR=1
exec npm run --silent test
