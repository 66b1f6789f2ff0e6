//! Models too large for one machine: several processes explore and reduce them together.
//!
//! Each process has workers, and each worker owns the states whose hash says so, with their
//! transitions. Workers send each other states as bytes, by timely dataflow. The model is the
//! one that one machine finds, number for number. This crate knows neither C nor what is in a
//! state, computes no successor by itself, and prints nothing.
//!
//! A list of hosts names the processes:
//!
//! ```
//! let hosts = cwolf_cluster::parse_hosts("127.0.0.1:4100\n127.0.0.1:4101 # the second\n");
//! assert_eq!(hosts.unwrap().len(), 2);
//! ```

mod bytes;
mod checkpoint;
mod communicator;
mod edges;
mod explore;
mod gather;
mod hosts;
mod link;
mod reduce;
mod rows;
mod run;

pub use bytes::digest;
pub use checkpoint::{Checkpoints, can_restore};
pub use communicator::Traffic;
pub use hosts::{BadHosts, Hosts, free_addresses, parse_hosts};
pub use link::Lost;
pub use reduce::Bisimulation;
pub use run::{Job, Output, Summary, run};
