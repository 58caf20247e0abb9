#!/usr/bin/env bash
# scripts/build.sh PRESET [TARGET...]: brings build/PRESET up to date. Quiet unless something fails
# or it is the first build.
# scripts/build.sh --program light|full: builds build/light/mgdm or build/release/mgdm-train, and installs the
# packages that this needs. Returns at once where no source has changed since the last time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [ "$1" = --program ]; then
  preset=light target=mgdm
  [ "$2" = light ] || preset=release target=mgdm-train
  built=$root/build/$preset/.fresh
  if [ -e "$built" ] && [ -z "$(find "$root"/{src,include,cmake,scripts,CMakeLists.txt,CMakePresets.json} \
    "$root/.git/logs/HEAD" -newer "$built" -print -quit 2>/dev/null)" ]; then
    exit 0
  fi
  "$root/scripts/setup.sh" "$2"
  mkdir -p "$root/build/$preset"
  begun=$root/build/$preset/.begun.$$  # of this call: others may build at the same time
  touch "$begun"
  "$0" "$preset" "$target"
  mv "$begun" "$built"
  exit
fi

preset=$1
shift
build=$root/build/$preset
mkdir -p "$build"

# Two calls at once (two terminals) must not build into one folder at the same time.
exec 9>"$build/.lock"
if ! flock -n 9; then
  printf 'waiting for another build into %s ...\n' "build/$preset" >&2
  flock 9
fi

log=$build/configure.log
if [ ! -e "$build/build.ninja" ] || [ "$root/CMakePresets.json" -nt "$log" ]; then
  if ! (cd "$root" && cmake --preset "$preset" >"$log" 2>&1); then
    cat "$log" >&2
    exit 1
  fi
fi

quiet=--quiet
if [ ! -e "$build/.built" ]; then
  long="some minutes"
  [ "$preset" = light ] && long="a minute or two"
  printf 'building mgdm (%s), the first time takes %s ...\n' "$preset" "$long" >&2
  [ -t 2 ] && quiet=""
fi
ninja -C "$build" $quiet "$@" >&2
touch "$build/.built"
