//! Tests of the arithmetic from outside, in one binary.

mod hardware;
