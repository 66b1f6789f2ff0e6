build=$here/build
mkdir -p "$build" || say 'cannot make the folder build' 2
objects=
count=0
# Compiles one file: where, then the flags and the file. Functions that the run replaces give way
# to those of the harness.
unit() {
    count=$((count + 1))
    assembly=$build/$count.s
    folder=$1
    shift
    (cd "$folder" && $cc -g -w -O0 $common $CFLAGS "$@" -S -o "$assembly") || say 'the program cannot be compiled' 2
    printf '%b' "$symbols" >> "$assembly"
    if [ -n "$label" ]; then
        # The code of the label is that of the first line from there on that has any.
        line=$(awk '$1 == ".loc" { print $3 }' "$assembly" | sort -n | awk -v from="$label" '$1 >= from { print; exit }')
        awk -v line="$line" '{ print } $1 == ".loc" && $3 == line { print "\tcall cwolf_label" }' "$assembly" > "$assembly.new"
        mv "$assembly.new" "$assembly"
    fi
    $cc $machine -c -o "$build/$count.o" "$assembly" || say 'the program cannot be assembled' 2
    objects="$objects $count.o"
}
