#!/usr/bin/env bash
# scripts/lint.sh: clang-tidy (.clang-tidy) over the half of the code that knows no torch.
# A file that passed is not looked at again until it, a header or the checks change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
passed=build/lint
mkdir -p "$passed"

# Flags of our own instead of a build's: no sanitizers and no precompiled headers to drag along.
cat >"$passed/revision.h" <<<'#define MGDM_VERSION ""
#define MGDM_REVISION ""'
flags="-std=c++20 -Isrc -Iinclude -I$passed -DMGDM_HAVE_CADICAL -DMGDM_MODELS_FROM_LIBRARY=\"\" -Wall -Wextra -Wshadow"

state=$(git ls-files -z 'src/*.h' 'include/*.h' .clang-tidy scripts/lint.sh | xargs -0 cat | sha256sum)
check() {
  local file=$1 stamp
  stamp=$passed/$({ cat "$file"; echo "$file $state"; } | sha256sum | cut -c1-40)
  [ -e "$stamp" ] && return
  # shellcheck disable=SC2086
  if ! clang-tidy --quiet "$file" -- $flags 2>/dev/null; then
    echo "lint: $file" >&2
    return 1
  fi
  touch "$stamp"
}
export -f check
export passed state flags
# clang 14 cannot compile Debian's LibTorch headers in C++20, so the rooms above the torch line only.
git ls-files src/{base,config,formats,tasks,data,spec,decoding,runtime,inference,evaluation,report,cli,api}/'*.cc' | grep -v '_test\.cc$' |
  xargs -P "$(nproc)" -I{} bash -c 'check "$1"' _ {}
