#!/bin/sh
# Installs planner for the current user, without root:
#   curl -fsSL @REPOSITORY@/releases/latest/download/install.sh | sh
#   sh install.sh --help
set -eu

VERSION="@VERSION@"
BASE="@REPOSITORY@/releases/download/v$VERSION"
PUBLIC_KEY="@PUBLIC_KEY@"
PREFIX="${PLANNER_PREFIX:-$HOME/.local}"
REQUIRE_SIGNATURE=no
UNINSTALL=no

usage() {
  cat <<TEXT
Usage: install.sh [flags]
Installs planner $VERSION for the current user: the program, its manual pages and shell completions.

  --prefix DIR          Install below DIR (default: $PREFIX)
  --base-url URL        Download from URL (default: $BASE)
  --require-signature   Stop if the signature cannot be checked
  --uninstall           Remove what an earlier run installed below the prefix
  --help                Print this text

The archive's SHA-256 is compared with SHA256SUMS. If minisign is installed, the signature of SHA256SUMS is checked.
TEXT
}

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case "$1" in
    --prefix) [ $# -ge 2 ] || fail "--prefix needs a folder"; PREFIX=$2; shift ;;
    --base-url) [ $# -ge 2 ] || fail "--base-url needs an address"; BASE=${2%/}; shift ;;
    --require-signature) REQUIRE_SIGNATURE=yes ;;
    --uninstall) UNINSTALL=yes ;;
    --help | -h) usage; exit 0 ;;
    *) fail "unknown flag \"$1\" (see --help)" ;;
  esac
  shift
done

LIST="$PREFIX/share/planner/installed"

# Removes the listed files, then the listed folders that are empty, the deepest first. The list itself goes last.
uninstall() {
  [ -f "$LIST" ] || fail "nothing to remove: $LIST does not exist"
  while IFS= read -r entry; do
    case "$entry" in
      file:*) rm -f "${entry#file:}" ;;
    esac
  done <"$LIST"
  folders=$(sed -n 's/^folder://p' "$LIST" | awk '{ print length, $0 }' | sort -rn | cut -d' ' -f2-)
  rm -f "$LIST"
  printf '%s\n' "$folders" | while IFS= read -r folder; do
    [ -n "$folder" ] && rmdir "$folder" 2>/dev/null || true
  done
  printf 'Removed planner from %s\n' "$PREFIX"
}

if [ "$UNINSTALL" = yes ]; then
  uninstall
  exit 0
fi

platform() {
  case "$(uname -s)" in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "no executable for $(uname -s); on Windows use install.ps1" ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) fail "no executable for the processor $(uname -m)" ;;
  esac
  # An x64 shell under Rosetta runs on an arm64 processor.
  if [ "$os-$cpu" = darwin-x64 ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ]; then cpu=arm64; fi
  libc=
  if [ "$os" = linux ] && ! getconf GNU_LIBC_VERSION >/dev/null 2>&1; then libc=-musl; fi
  printf '%s-%s%s' "$os" "$cpu" "$libc"
}

download() {
  if command -v curl >/dev/null 2>&1; then
    curl --fail --silent --show-error --location --output "$2" "$1" || fail "cannot download $1"
  elif command -v wget >/dev/null 2>&1; then
    wget --quiet --output-document="$2" "$1" || fail "cannot download $1"
  else
    fail "neither curl nor wget is installed"
  fi
}

checksum() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1" | cut -d' ' -f1
  elif command -v shasum >/dev/null 2>&1; then shasum -a 256 "$1" | cut -d' ' -f1
  else fail "neither sha256sum nor shasum is installed"; fi
}

check_signature() {
  case "$PUBLIC_KEY" in
    "" | @*) reason="this installer carries no public key" ;;
    *) if command -v minisign >/dev/null 2>&1; then
        download "$BASE/SHA256SUMS.minisig" "$work/SHA256SUMS.minisig"
        minisign -Vqm "$work/SHA256SUMS" -P "$PUBLIC_KEY" || fail "the signature of SHA256SUMS is wrong: nothing was installed"
        printf 'Checked the signature of SHA256SUMS\n'
        return
      fi
      reason="minisign is not installed" ;;
  esac
  [ "$REQUIRE_SIGNATURE" = no ] || fail "the signature cannot be checked: $reason"
  printf 'The signature was not checked: %s\n' "$reason"
}

name="planner-$VERSION-$(platform)"
# Without xz the larger archive is taken.
if command -v xz >/dev/null 2>&1; then archive=$name.tar.xz; else archive=$name.tgz; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

printf 'Downloading %s from %s\n' "$archive" "$BASE"
download "$BASE/SHA256SUMS" "$work/SHA256SUMS"
check_signature
download "$BASE/$archive" "$work/$archive"
wanted=$(awk -v name="$archive" '$2 == name { print $1 }' "$work/SHA256SUMS")
[ -n "$wanted" ] || fail "SHA256SUMS does not name $archive"
found=$(checksum "$work/$archive")
[ "$found" = "$wanted" ] || fail "$archive has SHA-256 $found, SHA256SUMS says $wanted: nothing was installed"
tar -xf "$work/$archive" -C "$work"
"$work/$name/planner" --version >/dev/null || fail "the program does not run on this machine: nothing was installed"

# Makes a folder and records it if it was not there, so that removing planner leaves what was there before.
folder() {
  [ -d "$1" ] && return
  folder "$(dirname "$1")"
  mkdir "$1"
  printf 'folder:%s\n' "$1" >>"$work/installed"
}

put() {
  folder "$(dirname "$2")"
  # A running program cannot be overwritten; a rename replaces it.
  cp "$1" "$2.new.$$"
  chmod "$3" "$2.new.$$"
  mv -f "$2.new.$$" "$2"
  printf 'file:%s\n' "$2" >>"$work/installed"
}

: >"$work/installed"
if [ -f "$LIST" ]; then cat "$LIST" >"$work/installed"; fi
put "$work/$name/planner" "$PREFIX/bin/planner" 755
for page in "$work/$name"/man/man1/*.1; do put "$page" "$PREFIX/share/man/man1/$(basename "$page")" 644; done
put "$work/$name/completions/planner.bash" "$PREFIX/share/bash-completion/completions/planner" 644
put "$work/$name/completions/_planner" "$PREFIX/share/zsh/site-functions/_planner" 644
put "$work/$name/completions/planner.fish" "$PREFIX/share/fish/vendor_completions.d/planner.fish" 644
put "$work/$name/THIRD-PARTY-LICENSES.txt" "$PREFIX/share/planner/THIRD-PARTY-LICENSES.txt" 644
folder "$(dirname "$LIST")"
sort -u "$work/installed" >"$LIST"

printf 'Installed %s in %s/bin\n' "$("$PREFIX/bin/planner" --version)" "$PREFIX"
case ":$PATH:" in
  *":$PREFIX/bin:"*) ;;
  *) printf 'Add it to PATH: export PATH="%s/bin:$PATH"\n' "$PREFIX" ;;
esac
printf 'Start with: planner init\n'
