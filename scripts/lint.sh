#!/usr/bin/env bash
# scripts/lint.sh: clang-tidy (.clang-tidy) over the half of the code that knows no torch. The files of
# a room are looked at together, as they are compiled: most of the time goes into headers. A room that
# passed is not looked at again until it, a header or the checks change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
passed=build/lint
mkdir -p "$passed"

# Flags of our own instead of a build's: no sanitizers and no precompiled headers to drag along.
cat >"$passed/revision.h" <<<'#define MGDM_VERSION ""
#define MGDM_REVISION ""'
flags="-std=c++20 -Isrc -Iinclude -I$passed -DMGDM_HAVE_CADICAL -DMGDM_HAVE_PCRE2 -DMGDM_HAVE_ZLIB -DMGDM_HAVE_ZSTD -DMGDM_MODELS_FROM_LIBRARY=\"\" -Wall -Wextra -Wshadow"

state=$(git ls-files -z 'src/*.h' 'include/*.h' .clang-tidy scripts/lint.sh | xargs -0 cat | sha256sum)

# check NAME FILE...
check() {
  local name=$1 stamp
  shift
  stamp=$passed/$({ cat "$@"; echo "$* $state"; } | sha256sum | cut -c1-40)
  [ -e "$stamp" ] && return
  printf '#include "%s"\n' "${@/#/$PWD/}" >"$passed/$name.cc"
  # shellcheck disable=SC2086
  if ! clang-tidy --quiet "$passed/$name.cc" -- $flags 2>/dev/null; then
    echo "lint: $name" >&2
    return 1
  fi
  touch "$stamp"
}
export -f check
export passed state flags
# clang 14 cannot compile Debian's LibTorch headers in C++20, so the rooms above the torch line only.
# Highway's files include themselves: one by one. The light program compiles the first four rooms as one.
for rooms in "cli evaluation prompting reproduction" spec model_files tokenizers tasks runtime vectors formats inference api data decoding base config; do
  # shellcheck disable=SC2086
  files=$(cd src && git ls-files $rooms | grep '\.cc$' | grep -v '_test\.cc$' | sed 's#^#src/#')
  room=${rooms%% *}
  alone=$(grep -l foreach_target $files || true)
  for file in $alone; do echo "$(basename "$file" .cc) $file"; done
  together=$(comm -23 <(sort <<<"$files") <(sort <<<"$alone"))
  [ -z "$together" ] || echo "$room" $together
done | xargs -P "$(nproc)" -L 1 bash -c 'check "$@"' _
