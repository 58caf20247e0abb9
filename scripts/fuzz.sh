#!/usr/bin/env bash
# scripts/fuzz.sh SECONDS [TARGET]: runs each fuzz target (tests/fuzz) that long, from its seeds.
# scripts/fuzz.sh check: the same short run every time, as in ./test all.
# An input that breaks a parser is written to build/sanitize/ and named.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
budget="-max_total_time=$1"
[ "$1" = check ] && budget="-runs=20000 -seed=1"
only=${2:-}
build=build/sanitize
scripts/build.sh sanitize fuzz_targets

run() {
  local name=$1 corpus log
  corpus=$build/corpus/$name
  case $budget in *-runs*) corpus=$(mktemp -d) ;; esac
  log=$build/$name.log
  mkdir -p "$corpus"
  if ! "$build/tests/fuzz/fuzz_$name" $budget -timeout=10 -rss_limit_mb=2048 \
    -max_len=4096 -artifact_prefix="$build/$name-" "$corpus" "tests/fuzz/seeds/$name" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    return 1
  fi
  echo "$name: $(grep -o 'Done.*' "$log" || echo done)"
}
export -f run
export budget build
find tests/fuzz -name '*_fuzz.cc' -printf '%f\n' | sed 's/_fuzz\.cc$//' | sort |
  { [ -z "$only" ] && cat || grep -x "$only"; } | xargs -P "$(nproc)" -I{} bash -c 'run "$1"' _ {}
