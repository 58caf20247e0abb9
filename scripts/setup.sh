#!/usr/bin/env bash
# scripts/setup.sh light|full|python|test|peers: installs the Debian packages of scripts/packages.txt that are
# missing. Says nothing when nothing is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
purpose=${1:-full}
case $purpose in
  light | full | python | test | peers) ;;
  *)
    echo "setup.sh: unknown purpose '$purpose' (expected light, full, python, test or peers)" >&2
    exit 2
    ;;
esac

# Another distribution: CMake will name what it lacks.
command -v dpkg-query >/dev/null || exit 0

wanted=$(awk -v purpose="$purpose" '
  /^#/ || /^$/ { next }
  /^\[/ { section = substr($0, 2, length($0) - 2); next }
  section == "light" || section == purpose { print; next }
  section == "full" && purpose != "light" && purpose != "python" { print }
  section == "python" && purpose == "test" { print }' "$root/scripts/packages.txt")
# shellcheck disable=SC2086
installed=$(dpkg-query -W -f='${db:Status-Status} ${binary:Package}\n' $wanted 2>/dev/null |
  awk '$1 == "installed" { sub(/:.*/, "", $2); print $2 }' || true)
missing=$(comm -23 <(sort -u <<<"$wanted") <(sort -u <<<"$installed") | xargs)
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends $missing"
as_root=""
if [ "$(id -u)" != 0 ]; then
  as_root=sudo
  if ! command -v sudo >/dev/null || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
    printf 'mgdm needs packages that are not installed. As root, run:\n\n  %s\n\n' "$install" >&2
    exit 1
  fi
fi
if [ -t 0 ] && [ -t 2 ]; then
  printf 'mgdm needs these Debian packages:\n  %s\nInstall them now? [Y/n] ' "$missing" >&2
  read -r answer
  case $answer in
    [nN]*)
      printf 'Not installed. The command would be:\n\n  %s\n\n' "$install" >&2
      exit 1
      ;;
  esac
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
printf 'installing %s ...\n' "$missing" >&2
export DEBIAN_FRONTEND=noninteractive
# An old package list is the usual reason for a first failure: refresh it and try once more.
if ! $as_root $install >"$log" 2>&1 &&
  ! { $as_root apt-get update >>"$log" 2>&1 && $as_root $install >>"$log" 2>&1; }; then
  tail -n 15 "$log" >&2
  printf '\nThe packages could not be installed. As root, run:\n\n  apt-get update\n  %s\n\n' "$install" >&2
  exit 1
fi
