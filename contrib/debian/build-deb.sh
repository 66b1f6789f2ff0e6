#!/bin/sh
# Makes a Debian package of a release binary, with manual pages and completions.
#
#   cargo build --release -p cwolf
#   contrib/debian/build-deb.sh [BINARY] [FOLDER]
#
# The package goes to FOLDER (here, unless told otherwise). It needs dpkg-deb and dpkg-shlibdeps (package dpkg-dev).
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
binary=${1:-${CARGO_TARGET_DIR:-$top/target}/release/cwolf}
out=${2:-.}
[ -x "$binary" ] || { echo "build-deb.sh: $binary is missing; run: cargo build --release -p cwolf" >&2; exit 2; }
command -v dpkg-deb >/dev/null || { echo "build-deb.sh: dpkg-deb is missing" >&2; exit 2; }

version=$("$binary" --version | cut -d' ' -f2)
machine=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/debian/cwolf
mkdir -p "$root/DEBIAN" "$root/usr/bin" "$root/usr/share/man/man1" \
    "$root/usr/share/bash-completion/completions" "$root/usr/share/doc/cwolf"
install -m 755 "$binary" "$root/usr/bin/cwolf"
"$binary" man -o "$root/usr/share/man/man1" >/dev/null
gzip -9n "$root"/usr/share/man/man1/*.1
"$binary" completions bash > "$root/usr/share/bash-completion/completions/cwolf"
cp "$top/LICENSE-MIT" "$top/LICENSE-APACHE" "$top/README.md" "$root/usr/share/doc/cwolf/"

# What the binary links against, with versions.
printf 'Source: cwolf\n\nPackage: cwolf\nArchitecture: any\n' > "$work/debian/control"
libraries=$(cd "$work" && dpkg-shlibdeps -O -edebian/cwolf/usr/bin/cwolf 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
size=$(du -sk "$root/usr" | cut -f1)
cat > "$root/DEBIAN/control" <<EOF
Package: cwolf
Version: $version
Architecture: $machine
Maintainer: The cwolf authors <cwolf@localhost>
Installed-Size: $size
Depends: ${libraries:-libc6}
Recommends: gcc, libc6-dev
Section: devel
Priority: optional
Description: finite-state models out of C programs, and proofs about them
 cwolf extracts labelled transition systems and boolean programs from C, proves
 that programs keep assertions, memory safety and rules about calls, and shows a
 failing run where they do not.
EOF
dpkg-deb --root-owner-group --build "$root" "$out/cwolf_${version}_$machine.deb"
