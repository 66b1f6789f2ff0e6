//! The text form of a program, for people and for tests: what [`print()`] writes, [`parse`] reads
//! back to an [`equal`] program. Expressions look like C, blocks like the thesis' Figure 4.6.
//!
//! ```text
//! cwi 2
//! target x86_64
//!
//! type struct list size 16 align 8 {
//!   next: *struct list at 0
//!   flag: u3 bit at 64
//! }
//! global count: i32 = { 0: i32 5 } @"list.c":3:5
//! function main: fn() i32 @5:5
//!   local i: i64 @6:8
//!   reg r#1: i32
//! {
//! block_0:
//!   i = 10:i64 @6:8
//!   call getc(stdin) -> block_1 @7:10
//! block_1:
//!   r#1 = r#0 @7:10
//!   if (r#1 == 10 || r#1 < 0) then goto block_2 else goto block_0 @8:3
//! block_2:
//!   return (count + i32(i)) @9:3
//! }
//! ```
//!
//! - **Types** are `void`, `bool`, `i32`, `u7`, `f64`, `*T`, `[4 x T]`, `struct s`, `union u`
//!   and `fn(T, ...) T`. A value's type is written (`10:u64`, `zero:struct s`, `choose:i32`)
//!   only where it does not follow; constants without one are `i32` and `f64`.
//! - **Conversions** are `i32(e)`, `(*u8)(e)`. `p + i` on a pointer steps over elements;
//!   `p +{3} i` steps over three bytes at a time. `p - q` and `p -{3} q` likewise.
//! - **Names** that are no plain words are quoted; `i.1` is the second `i` in sight, `.#2` a
//!   field by its number. `#12` after a declared name is its variable number, left out when it
//!   is one more than the last.
//! - **Checks**: `assert #3 (e)` fails check number 3, the fourth line that starts with `check`.
//! - **Positions** follow `@` as line and column, with the file where it changes.

mod equal;
mod expr;
mod lex;
mod names;
mod parse;
mod print;
#[cfg(test)]
mod tests;

pub use equal::equal;
pub use names::{Names, spell};
pub use parse::{parse, parse_at};
pub use print::{Printer, print, print_block, print_expr, print_place, print_stmt};

/// The version of the text form.
const VERSION: u32 = 2;
