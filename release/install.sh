#!/bin/sh
# Installs planner for the current user, without root:
#   curl -fsSL @REPOSITORY@/releases/latest/download/install.sh | sh
#   sh install.sh --help
# All work is in functions that the last line calls, so that a download that ends early runs nothing.
set -eu

VERSION="@VERSION@"
BASE="@REPOSITORY@/releases/download/v$VERSION"
PUBLIC_KEY="@PUBLIC_KEY@"
REQUIRE_SIGNATURE=no
UNINSTALL=no
# The largest archive and its content, in KiB.
NEEDED_SPACE=260000

usage() {
  cat <<TEXT
Usage: install.sh [flags]
Installs planner $VERSION for the current user: the program, its manual pages, shell completions and licences.

  --prefix DIR          Install below DIR (default: \$PLANNER_PREFIX, else \$HOME/.local)
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

read_flags() {
  PREFIX="${PLANNER_PREFIX:-}"
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
  if [ -z "$PREFIX" ]; then
    [ -n "${HOME:-}" ] || fail "HOME is not set: name a folder with --prefix DIR"
    PREFIX="$HOME/.local"
  fi
  # Removing planner reads the paths from another folder, so they must be absolute.
  case "$PREFIX" in /*) ;; *) PREFIX="$(pwd)/$PREFIX" ;; esac
  while [ "$PREFIX" != "${PREFIX%/}" ]; do PREFIX=${PREFIX%/}; done
  LIST="$PREFIX/share/planner/installed"
}

# Removes the listed files, then the listed folders that are empty, the deepest first. The list itself goes last.
remove_installed() {
  [ -f "$LIST" ] || fail "nothing to remove: $LIST does not exist"
  while IFS= read -r entry; do
    case "$entry" in
      file:/*) rm -f "${entry#file:}" ;;
    esac
  done <"$LIST"
  folders=$(sed -n 's/^folder:\//\//p' "$LIST" | awk '{ print length, $0 }' | sort -rn | cut -d' ' -f2-)
  rm -f "$LIST"
  printf '%s\n' "$folders" | while IFS= read -r folder; do
    if [ -n "$folder" ]; then rmdir "$folder" 2>/dev/null || true; fi
  done
}

name_platform() {
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

# download ADDRESS FILE [progress]
download() {
  if command -v curl >/dev/null 2>&1; then
    quiet="--silent --show-error"
    if [ $# -gt 2 ] && [ -t 2 ]; then quiet="--progress-bar"; fi
    # shellcheck disable=SC2086 # the flags are words
    curl --fail $quiet --location --output "$2" "$1" || fail "cannot download $1"
  elif command -v wget >/dev/null 2>&1; then
    wget --quiet --output-document="$2" "$1" || fail "cannot download $1"
  else
    fail "neither curl nor wget is installed"
  fi
}

print_checksum() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1" | cut -d' ' -f1
  elif command -v shasum >/dev/null 2>&1; then shasum -a 256 "$1" | cut -d' ' -f1
  else fail "neither sha256sum nor shasum is installed"; fi
}

check_signature() {
  case "$PUBLIC_KEY" in
    "" | @*) reason="this installer contains no public key" ;;
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

# Finds out before the download whether the prefix can be written to and has room.
check_prefix() {
  for folder in bin share/planner share/man/man1 share/bash-completion/completions share/zsh/site-functions \
    share/fish/vendor_completions.d; do
    nearest="$PREFIX/$folder"
    while [ ! -e "$nearest" ]; do nearest=$(dirname "$nearest"); done
    [ -d "$nearest" ] || fail "$nearest is not a folder: name another place with --prefix DIR"
    [ -w "$nearest" ] || fail "$nearest cannot be written to: name another place with --prefix DIR"
  done
  if [ -e "$PREFIX/bin/planner" ] && ! grep -qxF "file:$PREFIX/bin/planner" "$LIST" 2>/dev/null; then
    fail "$PREFIX/bin/planner exists and is another program: remove it, or name another place with --prefix DIR"
  fi
  free=$(df -Pk "$nearest" 2>/dev/null | awk 'NR == 2 { print $4 }')
  case "$free" in "" | *[!0-9]*) return ;; esac
  [ "$free" -ge "$NEEDED_SPACE" ] || fail "$nearest has $((free / 1024)) MiB free, $((NEEDED_SPACE / 1024)) MiB are needed"
}

# Makes a folder and lists it if it was not there, so that removing planner leaves what was there before.
make_folder() {
  [ -d "$1" ] && return
  make_folder "$(dirname "$1")"
  mkdir "$1"
  if [ -f "$LIST" ]; then printf 'folder:%s\n' "$1" >>"$LIST"; else new_folders="$new_folders
folder:$1"; fi
}

# put FILE TARGET MODE: lists the target before it writes it.
put() {
  make_folder "$(dirname "$2")"
  printf 'file:%s\nfile:%s\n' "$2" "$2.new.$$" >>"$LIST"
  # A running program cannot be overwritten; a rename replaces it.
  cp "$1" "$2.new.$$"
  chmod "$3" "$2.new.$$"
  mv -f "$2.new.$$" "$2"
}

put_all() {
  new_folders=
  make_folder "$(dirname "$LIST")"
  if [ ! -f "$LIST" ]; then printf '%s\n' "$new_folders" | sed '/^$/d' >"$LIST"; fi
  put "$work/$name/LICENSE" "$PREFIX/share/planner/LICENSE" 644
  put "$work/$name/THIRD-PARTY-LICENSES.txt" "$PREFIX/share/planner/THIRD-PARTY-LICENSES.txt" 644
  for page in "$work/$name"/man/man1/*.1; do put "$page" "$PREFIX/share/man/man1/$(basename "$page")" 644; done
  put "$work/$name/completions/planner.bash" "$PREFIX/share/bash-completion/completions/planner" 644
  put "$work/$name/completions/_planner" "$PREFIX/share/zsh/site-functions/_planner" 644
  put "$work/$name/completions/planner.fish" "$PREFIX/share/fish/vendor_completions.d/planner.fish" 644
  # The program goes last: before it, an earlier version keeps working.
  put "$work/$name/planner" "$PREFIX/bin/planner" 755
  sort -u "$LIST" | grep -v '^file:.*\.new\.[0-9]*$' >"$LIST.new.$$"
  mv -f "$LIST.new.$$" "$LIST"
}

# Runs at every end. An installation that stopped half way is undone if there was none before.
clean_up() {
  status=$?
  rm -rf "$work"
  if [ "$started" = yes ] && [ "$status" -ne 0 ]; then
    if [ "$upgrade" = yes ]; then
      printf 'install.sh: stopped half way; run it again, or remove planner with --uninstall --prefix %s\n' "$PREFIX" >&2
    else
      [ ! -f "$LIST" ] || remove_installed
      printf 'install.sh: stopped half way; what was written was removed again\n' >&2
    fi
  fi
}

install() {
  name="planner-$VERSION-$(name_platform)"
  check_prefix
  # Without xz the larger archive is taken.
  if command -v xz >/dev/null 2>&1; then archive=$name.tar.xz; else archive=$name.tgz; fi
  work=$(mktemp -d)
  started=no
  upgrade=no
  trap clean_up EXIT
  trap 'exit 130' INT TERM HUP

  printf 'Downloading %s from %s\n' "$archive" "$BASE"
  download "$BASE/SHA256SUMS" "$work/SHA256SUMS"
  check_signature
  download "$BASE/$archive" "$work/$archive" progress
  wanted=$(awk -v name="$archive" '$2 == name { print $1 }' "$work/SHA256SUMS")
  [ -n "$wanted" ] || fail "SHA256SUMS does not name $archive"
  found=$(print_checksum "$work/$archive")
  [ "$found" = "$wanted" ] || fail "$archive has SHA-256 $found, SHA256SUMS says $wanted: nothing was installed"
  tar -xf "$work/$archive" -C "$work"
  "$work/$name/planner" --version >/dev/null || fail "the program does not run on this machine: nothing was installed"

  if [ -f "$LIST" ]; then upgrade=yes; fi
  started=yes
  put_all
  started=no

  printf 'Installed %s in %s/bin\n' "$("$PREFIX/bin/planner" --version)" "$PREFIX"
  # shellcheck disable=SC2016 # the shell of the person expands it
  case ":$PATH:" in
    *":$PREFIX/bin:"*) ;;
    *) printf 'Add it to PATH: export PATH="%s/bin:$PATH"\n' "$PREFIX" ;;
  esac
  # shellcheck disable=SC2016
  case "${SHELL:-}" in
    */zsh) printf 'For completions in zsh, before compinit in ~/.zshrc: fpath=("%s/share/zsh/site-functions" $fpath)\n' "$PREFIX" ;;
  esac
  printf 'Start with: planner init\n'
}

main() {
  read_flags "$@"
  if [ "$UNINSTALL" = yes ]; then
    remove_installed
    printf 'Removed planner from %s\n' "$PREFIX"
  else
    install
  fi
}

main "$@"
