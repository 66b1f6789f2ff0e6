//! C in, CWI out: the code that is expected, and programs that behave as with gcc and its library.

mod common;
mod library;
mod lower;
mod run;
