compile_harness() {
    $cc -g -w -O0 -fno-builtin $machine $sanitise $1 -c -o "$build/harness.o" "$here/harness.c" || say 'the harness cannot be compiled' 2
}
link() {
    (cd "$build" && $cc $machine $sanitise -Wl,--wrap=malloc $wrap -o failing $objects harness.o $1 -lm -lpthread)
}
compile_harness ''
if ! link '' 2> "$build/link.log"; then
    # What code that the run does not reach needs: variables are zero, functions end the run.
    missing=$(sed -n "s/.*undefined reference to .\([A-Za-z_0-9]*\)'.*/\1/p" "$build/link.log" | sort -u)
    [ -n "$missing" ] || { cat "$build/link.log" >&2; say 'the program cannot be linked' 2; }
    defines=
    echo 'extern void cwolf_missing(const char *);' > "$build/missing.c"
    for name in $missing; do
        if grep -q "^#ifdef DEFINE_$name\$" "$here/harness.c"; then
            defines="$defines -DDEFINE_$name"
        else
            echo "void $name(void) { cwolf_missing(\"$name\"); }" >> "$build/missing.c"
        fi
    done
    compile_harness "$defines"
    $cc -w $machine -fno-builtin -c -o "$build/missing.o" "$build/missing.c" || say 'the harness cannot be compiled' 2
    link missing.o || say 'the program cannot be linked' 2
fi
ulimit -t 20
ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=1 \
UBSAN_OPTIONS=print_stacktrace=1 "$build/failing" < /dev/null 2> "$build/failing.log"
code=$?
cat "$build/failing.log" >&2
# What gcc's program cannot be given may be why it goes another way.
if [ $code -eq 0 ]; then
    [ -z "$unset" ] || say "the program does not fail: $unset" 5
    say 'the program does not fail' 0
fi
# The harness says by itself that a call is wrong which the library would let pass; a call of a null
# pointer is nowhere; a division in the library ends by a signal.
if { grep -E -q "$what" "$build/failing.log" && grep -E -q "$where" "$build/failing.log"; } ||
    { [ -n "$misused" ] && grep -E -q 'cwolf: .* is called as it must not be|SEGV .*\(pc 0x0* ' "$build/failing.log"; } ||
    { [ "$code" = "$signal" ]; }; then
    say "the program fails as promised: $promise" 10
fi
say "the program ends with status $code, but this is not what was promised: $promise${unset:+; }$unset" 5
