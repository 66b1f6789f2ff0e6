//! Following a running program on a transition system: its system calls, as they happen or
//! from an strace log, must be a path of the model. The first call that the model does not
//! allow is the answer. The same model gives a seccomp profile.
//!
//! It knows nothing of C and of how a model was made, and it prints nothing.
//!
//! ```
//! use cwolf_lts::{Format, read_bytes};
//! use cwolf_monitor::{CallMap, Follower, read_log};
//! let text = b"des (0,2,2)\n(0,\"open\",1)\n(1,\"close\",0)\n";
//! let model = read_bytes("m.aut", text, Format::Aut).expect("a correct file");
//! let map = CallMap::read("[calls]\nopenat = \"open\"\n").expect("a correct map");
//! let log = read_log("openat(AT_FDCWD, \"x\", O_RDONLY) = 3\nread(3, \"\", 1) = 0\n").unwrap();
//! let violation = Follower::new(&model, &map).follow_log(&log).expect("no read in the model");
//! assert_eq!(violation.call, "read");
//! assert_eq!(violation.expected, ["close"]);
//! ```

mod automaton;
mod calls;
mod follow;
mod log;
#[cfg(target_os = "linux")]
mod raw;
mod restart;
mod seccomp;
#[cfg(target_os = "linux")]
mod trace;

pub use automaton::{Automaton, Position};
pub use calls::{BadMap, CallMap, Unlisted};
pub use follow::{Follower, Violation};
pub use log::{BadLog, Log, LogEvent, read_log};
pub use seccomp::seccomp_profile;
#[cfg(target_os = "linux")]
pub use trace::{Answer, Call, Ended, TraceError, become_traced, is_call, trace};
