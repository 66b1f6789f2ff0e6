//! The binary in company: other processes, a server that it watches, a browser, random programs, published schemas.

#[cfg(feature = "cluster")]
mod cluster;
mod csmith;
mod gcc;
mod models;
mod monitor;
mod schemas;
mod targets;
mod viewer;

const CWOLF: &str = env!("CARGO_BIN_EXE_cwolf");
