//! A name is a type here and a variable there.

use super::*;

#[test]
fn a_declarator_hides_the_type_it_uses() {
    check_body("T T; T = 1;", "T:<T>; (= T 1);");
    check_body("T T = T;", "T:<T>=T;");
    check_body(
        "int x = sizeof(T), T = sizeof(T);",
        "x:int=(sizeof type <T>), T:int=(sizeof (paren T));",
    );
    check_body("{ T T; } T y;", "{T:<T>;} y:<T>;");
    check_body("T (T); T * y;", "T:<T>; (* T y);");
    check_body("T T, *p = &T;", "T:<T>, p:*<T>=(addrof T);");
    check_body("T x; int T; T * x;", "x:<T>; T:int; (* T x);");
}

#[test]
fn a_type_may_follow_no_other_type() {
    check_body("unsigned T; T = 1;", "T:uint; (= T 1);");
    check_body("const T x;", "x:const <T>;");
    check_body("T const x;", "x:const <T>;");
    check_body("static T; T x;", "static <T>; x:<T>;");
    check(
        "typedef int T; typedef long T2; T2 const volatile x;",
        "x:const volatile <T2>",
    );
    check("typedef int T; typedef int T;", "T:typedef int");
    check("typedef int T; T typedef U; U x;", "x:<U>");
}

#[test]
fn members_labels_and_tags_are_apart() {
    check(
        "typedef int T; struct T { T T; unsigned T2; T T3 : 2; T : 3; } T4;",
        "T4:struct T{T:<T>; T2:uint; T3:<T> bits 2; <T> bits 3}",
    );
    check_body(
        "struct q *x; x->T = x->T * 2;",
        "x:*struct q; (= (-> x T) (* (-> x T) 2));",
    );
    check_body(
        "goto T; T: T x; T: ;",
        "(goto T) (label T ;) x:<T>; (label T ;)",
    );
    check_body("S x = { .T = 1, T: 2 };", "x:<S>={.T=1, .T=2};");
    check_body("(T) + 1;", "(cast <T> (plus 1));");
    check_body("x = c ? T : 1;", "(= x (? c T 1));");
}

#[test]
fn loops_and_conditions_have_scopes() {
    check_body(
        "for (int T = 0; T < 3; T++) T * 2; T x;",
        "(for T:int=0; (< T 3); (_++ T) (* T 2);) x:<T>;",
    );
    check_body("for (T T = 0;;) ; T x;", "(for T:<T>=0; _; _ ;) x:<T>;");
    check_body(
        "if (sizeof(enum { T })) T * 2; T x;",
        "(if (sizeof type enum{T}) (* T 2);) x:<T>;",
    );
    check_body(
        "int n = ({ int T = 1; T * 2; }); T x;",
        "n:int=(block {T:int=1; (* T 2);}); x:<T>;",
    );
}

#[test]
fn parameters_hide_types_to_the_end_of_the_body() {
    check(
        "typedef int T; int f(T T) { return T * 2; }",
        "f:(T:<T>)int {(return (* T 2))}",
    );
    check(
        "typedef int T; int f(T T, int a[sizeof(T)]);",
        "f:(T:<T>, a:[(sizeof (paren T))]int)int",
    );
    check("typedef int T; int f(int T); T x;", "x:<T>");
    check("typedef int T; void f(int T) { T = 1; } T x;", "x:<T>");
    check(
        "typedef int T; f(a) int a; { int T; T * 2; } T g();",
        "g:(?)<T>",
    );
}

/// C17 6.7.6.3p11: a typedef name in parentheses is a parameter's type.
#[test]
fn a_type_in_parentheses_is_a_parameter() {
    check("typedef int T; int f(T);", "f:(<T>)int");
    check("typedef int T; int f(int (T));", "f:((<T>)int)int");
    check("typedef int T; int f(int (x));", "f:(x:int)int");
    check(
        "typedef int T; int f(const (*T)(T));",
        "f:(T:*(<T>)const implicit)int",
    );
    check(
        "typedef int T; void f(T (*)(T), T (T[]));",
        "f:(*(<T>)<T>, ([]<T>)<T>)void",
    );
    check("typedef int T; int (T);", "T:int");
    check_expr("(int (*)(T))0", "(cast *(<T>)int 0)");
    check_expr("(int (T))0", "(cast (<T>)int 0)");
    check_expr("sizeof(int ())", "(sizeof type (?)int)");
}

#[test]
fn enumerators_hide_types_after_their_value() {
    check_body(
        "enum { T = sizeof(T), U = T } x; T * 1;",
        "x:enum{T=(sizeof type <T>), U=T}; (* T 1);",
    );
    check("typedef int T; enum { T }; int x = T;", "x:int=T");
}

#[test]
fn a_local_typedef_ends_with_its_block() {
    check_body(
        "int V = 1; { typedef int V; V x; } V * 2;",
        "V:int=1; {V:typedef int; x:<V>;} (* V 2);",
    );
    check_body(
        "typedef T U, *V; U a; V b;",
        "U:typedef <T>, V:*typedef <T>; a:<U>; b:<V>;",
    );
    check_body("extern T g(T T); T x;", "g:(T:<T>)extern <T>; x:<T>;");
}

#[test]
fn casts_and_parentheses() {
    check_expr("(T)-a + (a)-1", "(- (+ (cast <T> (neg a)) (paren a)) 1)");
}
