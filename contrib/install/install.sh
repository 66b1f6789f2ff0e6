#!/bin/sh
# Builds cwolf from this source tree and installs the binary, manual pages and shell completions.
#
#   contrib/install/install.sh [--prefix DIR]
#
# The prefix is ~/.local unless told otherwise.
set -eu

prefix=$HOME/.local
while [ $# -gt 0 ]; do
    case $1 in
    --prefix) [ $# -ge 2 ] || { echo "install.sh: --prefix needs a folder" >&2; exit 1; }; prefix=$2; shift 2 ;;
    --prefix=*) prefix=${1#--prefix=}; shift ;;
    -h | --help) sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "install.sh: unknown option $1; try --help" >&2; exit 1 ;;
    esac
done

top=$(cd "$(dirname "$0")/../.." && pwd)
need() {
    command -v "$1" >/dev/null 2>&1 || { echo "install.sh: $1 is missing; $2" >&2; exit 2; }
}
need cargo "install Rust from https://rustup.rs"
need gcc "install it with your package manager (Debian: apt-get install gcc)"
need g++ "install it with your package manager (Debian: apt-get install g++)"

wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$top/Cargo.toml")
have=$(rustc --version | cut -d' ' -f2)
if [ "$(printf '%s\n%s\n' "$wanted" "$have" | sort -V | head -n 1)" != "$wanted" ]; then
    echo "install.sh: Rust $wanted or newer is needed, and this is $have; run: rustup update" >&2
    exit 2
fi

echo "Building cwolf. This takes three to five minutes on two cores; cargo shows the progress."
cd "$top"
cargo build --release --locked -p cwolf
binary=${CARGO_TARGET_DIR:-target}/release/cwolf

mkdir -p "$prefix/bin" "$prefix/share/man/man1" "$prefix/share/bash-completion/completions"
cp "$binary" "$prefix/bin/cwolf"
"$prefix/bin/cwolf" man -o "$prefix/share/man/man1" >/dev/null 2>&1 || echo "install.sh: no manual pages were written" >&2
"$prefix/bin/cwolf" completions bash > "$prefix/share/bash-completion/completions/cwolf"

echo "Installed $prefix/bin/cwolf."
case :$PATH: in
*:"$prefix/bin":*) ;;
*) echo "Add $prefix/bin to your PATH to call it as cwolf." ;;
esac
echo "Try: cwolf doctor"
