#!/bin/sh
# Compiles the program as it was checked, together with the values of the failing run, and runs it.
# Status: 10 it fails as promised, 0 it does not fail, 2 it cannot be built, 5 it ends in another
# way, or gcc has no means to show this failure. The last line says which.
# CC is the compiler, CFLAGS more flags for it, FOLDER where the program is, if it was moved.
LC_ALL=C
export LC_ALL
say() { echo "run.sh: $1" >&2; exit "$2"; }
here=$(cd "$(dirname "$0")" && pwd) || exit 2
