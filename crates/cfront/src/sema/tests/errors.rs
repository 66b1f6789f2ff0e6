//! Messages about wrong programs: one each, in words, and the analysis goes on.

use super::{analyse, check_errors, check_warnings};

#[test]
fn names() {
    check_errors(
        "int f(void) { return cuont + cuont; }",
        &["1: 'cuont' is not declared"],
    );
    let outcome = analyse("int count; int f(void) { return cuont; }");
    assert_eq!(outcome.hints, ["did you mean 'count'?"]);
    let outcome = analyse("struct s { int value; }; int f(struct s *p) { return p->valve; }");
    assert_eq!(outcome.errors, ["1: 'struct s' has no member 'valve'"]);
    assert_eq!(outcome.hints, ["did you mean 'value'?"]);
    check_errors(
        "int f(void) { int a; int a; return 0; }",
        &["1: redefinition of 'a'"],
    );
    check_errors(
        "int f(int a) { int a; return 0; }",
        &["1: redefinition of 'a'"],
    );
    check_errors(
        "typedef int t; int f(void) { return t; }",
        &["1: 't' is a type, not a value"],
    );
}

#[test]
fn conflicts_say_what_differs() {
    check_errors(
        "extern int i; extern volatile int i;",
        &["1: 'i' is declared as 'volatile int', but was declared as 'int'"],
    );
    check_errors(
        "int f(void) { int i = 1; { extern int j; } extern int i; return i; }",
        &[
            "1: 'i' is declared as a variable of the whole program here, but was declared as a variable of this function",
        ],
    );
    check_errors(
        "struct s { int a; }; extern struct s x; void f(void) { struct s { int b; }; extern struct s x; }",
        &["1: 'x' is declared as 'struct s', but was declared as another type of that name"],
    );
}

#[test]
fn operands() {
    check_errors(
        "struct s { int a; } x; int f(void) { return x + 1; }",
        &["1: '+' does not apply to 'struct s' and 'int'"],
    );
    check_errors(
        "double d; int f(void) { return d % 2; }",
        &["1: '%' does not apply to 'double' and 'int'"],
    );
    check_errors(
        "int f(int *p, int *q) { return p + q; }",
        &["1: '+' does not apply to 'int *' and 'int *'"],
    );
    check_errors(
        "int f(int x) { return *x; }",
        &["1: '*' needs a pointer, not 'int'"],
    );
    check_errors(
        "int f(int x) { return x(); }",
        &["1: only functions can be called, not 'int'"],
    );
    check_errors(
        "int f(int x) { return x.y; }",
        &["1: 'y' asks for a member, but 'int' is not a struct or union"],
    );
    check_errors(
        "int f(int x) { return x[1]; }",
        &["1: '[]' needs an array or pointer and an integer, not 'int' and 'int'"],
    );
    check_errors(
        "void f(void) { 1 = 2; }",
        &["1: only something stored in memory can be assigned to"],
    );
    check_errors(
        "void f(const int x) { x = 2; }",
        &["1: this is 'const', so it cannot be changed"],
    );
    check_errors(
        "void f(void) { int a[2], b[2]; a = b; }",
        &["1: an array cannot be assigned to as a whole"],
    );
    check_errors(
        "void f(void) { &1; }",
        &["1: this value is stored nowhere, so it has no address"],
    );
    check_errors(
        "struct { int a : 3; } x; int *p = &x.a;",
        &["1: a bit-field has no address"],
    );
    check_errors(
        "struct s; int f(struct s *p) { return sizeof *p; }",
        &["1: the size of the incomplete type 'struct s' is not known"],
    );
    check_errors(
        "struct s; void *f(struct s *p) { return p + 1; }",
        &["1: pointer arithmetic needs to know the size of 'struct s', which is incomplete"],
    );
    check_errors(
        "void g(void); int f(void) { return g(); }",
        &["1: return: a value of type 'int' is needed, but this has none ('void')"],
    );
    check_errors(
        "struct a {int x;} a; struct b {int x;} b; void f(void) { a = b; }",
        &["1: assignment: 'struct b' cannot be converted to 'struct a'"],
    );
    check_errors(
        "int f(int a); int g(void) { return f(1, 2); }",
        &["1: too many arguments: 1 expected, 2 given"],
    );
    check_errors(
        "int f(int a); int g(void) { return f(); }",
        &["1: too few arguments: 1 expected, 0 given"],
    );
}

#[test]
fn incomplete_types_have_no_value() {
    check_errors(
        "extern struct s x; void g(); void f(void) { g(x); }",
        &["1: the incomplete type 'struct s' has no value"],
    );
    check_errors("void f(void *p, int c) { *p; c ? *p : *p; (void)*p; }", &[]);
}

#[test]
fn statements() {
    check_errors(
        "void f(void) { break; }",
        &["1: 'break' is outside of a loop or switch"],
    );
    check_errors(
        "void f(int x) { switch (x) { case 1: continue; } }",
        &["1: 'continue' is outside of a loop"],
    );
    check_errors(
        "void f(void) { case 1: ; }",
        &["1: 'case' is outside of a switch"],
    );
    check_errors(
        "void f(int x) { switch (x) { case 1: case 2: case 1: ; } }",
        &["1: this value has a case already"],
    );
    check_errors(
        "void f(int x) { switch (x) { case 1 ... 5: case 3: ; } }",
        &["1: this value has a case already"],
    );
    check_errors("void f(char c) { switch (c) { case 1: case 257: ; } }", &[]);
    check_errors(
        "void f(unsigned u) { switch (u) { case -1: case 0xffffffff: ; } }",
        &["1: this value has a case already"],
    );
    check_errors(
        "void f(int x) { switch (x) { default: default: ; } }",
        &["1: a switch has only one 'default'"],
    );
    check_errors(
        "void f(int x, int y) { switch (x) { case y: ; } }",
        &["1: a case must be a constant"],
    );
    check_errors(
        "void f(void) { goto a; }",
        &["1: the label 'a' is used but not defined"],
    );
    check_errors(
        "void f(void) { a: ; a: ; }",
        &["1: the label 'a' is defined twice"],
    );
    check_errors(
        "void f(double d) { switch (d) { } }",
        &["1: 'switch' needs an integer, not 'double'"],
    );
}

#[test]
fn declarations() {
    check_errors(
        "int x; double x;",
        &["1: 'x' is declared as 'double', but was declared as 'int'"],
    );
    check_errors(
        "int f(int); int f(double);",
        &["1: 'f' is declared as 'int (double)', but was declared as 'int (int)'"],
    );
    check_errors("int x = 1; int x = 2;", &["1: redefinition of 'x'"]);
    check_errors(
        "void f(void) {} void f(void) {}",
        &["1: redefinition of 'f'"],
    );
    check_errors(
        "struct s { int a; }; struct s { int b; };",
        &["1: redefinition of 's'"],
    );
    check_errors("struct s { int a; int a; };", &["1: duplicate member 'a'"]);
    check_errors(
        "struct s { struct t x; };",
        &["1: the member has the incomplete type 'struct t'"],
    );
    check_errors(
        "struct s { int a : 33; };",
        &["1: the bit-field is wider than its type"],
    );
    check_errors(
        "struct s { int a[]; int b; };",
        &["1: a flexible array must be the last member"],
    );
    check_errors("int a[-1];", &["1: an array's size cannot be negative"]);
    check_errors(
        "int n; int a[n];",
        &["1: outside functions, an array's size must be a constant"],
    );
    check_errors("int f(void)[3];", &["1: a function cannot return an array"]);
    check_errors("void x;", &["1: 'x' cannot have type 'void'"]);
    check_errors(
        "struct s x;",
        &["1: 'x' has the type 'struct s', which is never completed"],
    );
    check_errors(
        "void f(void) { struct s x; }",
        &["1: 'x' has the incomplete type 'struct s'"],
    );
    check_errors(
        "static int x; int x;",
        &["1: 'x' is declared non-static, but was not before"],
    );
    check_errors(
        "_Static_assert(1 == 2, \"no\");",
        &["1: static assertion failed: \"no\""],
    );
    check_errors(
        "int a[1ull << 62];",
        &["1: the array is larger than any object can be"],
    );
    check_errors(
        "enum e { A }; enum e { B };",
        &["1: redefinition of 'enum e'"],
    );
    check_errors(
        "union s; struct s { int a; };",
        &["1: 's' was declared as another kind of tag"],
    );
    // One mistake does not hide the next.
    check_errors(
        "int f(void) { return a; }\nint g(void) { return b; }\nint h = 1.5 % 2;",
        &[
            "1: 'a' is not declared",
            "2: 'b' is not declared",
            "3: '%' does not apply to 'double' and 'int'",
        ],
    );
}

#[test]
fn warnings() {
    check_warnings(
        "int *p = 3;",
        &["1: initialisation makes a pointer from an integer without a cast ('int *' from 'int')"],
    );
    check_warnings(
        "int f(int *p) { return p; }",
        &["1: return makes an integer from a pointer without a cast ('int' from 'int *')"],
    );
    check_warnings(
        "void f(int *p) { char **q; q = p; }",
        &["1: assignment has an incompatible pointer type without a cast ('char **' from 'int *')"],
    );
    check_warnings(
        "void g(char *); void f(const char *p) { g(p); }",
        &[
            "1: argument 1 loses the qualifier 'const' without a cast ('char *' from 'const char *')",
        ],
    );
    check_warnings(
        "void f(unsigned char *p) { char *q = p; void *r = q; int *s = r; }",
        &[],
    );
    check_warnings(
        "int f(void) { return g(1); }",
        &["1: 'g' is not declared; it is assumed to return 'int'"],
    );
    check_warnings(
        "void f(void) { abort(); }",
        &["1: 'abort' is not declared; its library prototype is used"],
    );
    check_warnings("x;", &["1: the type defaults to 'int'"]);
    check_warnings("int f(int x) { return x / 0; }", &["1: division by zero"]);
}
