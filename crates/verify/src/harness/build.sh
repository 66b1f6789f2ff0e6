build=$here/build
mkdir -p "$build" || say 'cannot make the folder build' 2
objects=
count=0
# The assembly with a call at the label, whose code is that of the first line from there on that
# has any; jumps lead behind the mark of the line.
fail_at_label() {
    awk -v from="$label" -v name="$file" '
        $1 == ".file" { path = $NF; gsub(/"/, "", path); sub(/.*\//, "", path); if (path == name) known[$2] = 1 }
        $1 == ".loc" && $2 in known && $3 >= from && (!found || $3 < found) { found = $3 }
        END { print found + 0 }' "$1" > "$1.line"
    awk -v line="$(cat "$1.line")" -v name="$file" '
        $1 == ".file" { path = $NF; gsub(/"/, "", path); sub(/.*\//, "", path); if (path == name) known[$2] = 1 }
        /^\t[a-z]/ && $1 != "nop" { near = 0 }
        { print }
        $1 == ".loc" && $2 in known && $3 == line && line > 0 { near = 1; print "\tcall cwolf_label" }
        near && /^\.L[0-9]*:/ { print "\tcall cwolf_label" }' "$1"
}
# Compiles one file: where, then the flags and the file. Functions that the run replaces give way
# to those of the harness.
unit() {
    count=$((count + 1))
    assembly=$build/$count.s
    folder=$1
    shift
    (cd "$folder" && $cc -g -w -O0 $common $CFLAGS "$@" -S -o "$assembly") || say 'the program cannot be compiled' 2
    # A label ERROR fails by itself, where nobody calls the error function.
    if [ -n "$label" ] && ! grep -q __VERIFIER_error "$assembly"; then
        fail_at_label "$assembly" > "$assembly.new" && mv "$assembly.new" "$assembly"
    fi
    printf '%b' "$symbols" >> "$assembly"
    $cc $machine -c -o "$build/$count.o" "$assembly" || say 'the program cannot be assembled' 2
    objects="$objects $count.o"
}
