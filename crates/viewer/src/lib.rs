//! Looking at transition systems that are too large to draw: a page in the browser that
//! unfolds a system from its start, or from what a search found, and asks this crate for what
//! it shows. Only what is seen is sent, so a million states stay quick to walk in.
//!
//! It listens on the loopback device alone, answers only under a random token, and changes
//! nothing. It has never heard of C.
//!
//! ```
//! use cwolf_lts::{Format, read_bytes};
//! use cwolf_viewer::View;
//! let text = b"des (0,2,3)\n(0,\"a\",1)\n(1,\"b\",2)\n";
//! let lts = read_bytes("example.aut", text, Format::Aut).expect("a correct file");
//! let mut view = View::new("example", lts);
//! let answer = view.answer("state?system=model&id=1");
//! assert_eq!(answer.status, 200);
//! assert!(String::from_utf8_lossy(&answer.body).contains("\"label\":\"b\""));
//! ```

mod answer;
mod draw;
mod page;
mod query;
mod serve;
mod source;
mod system;
#[cfg(test)]
mod tests;

pub use answer::{Answer, View};
pub use draw::{MOST_IN_A_PICTURE, picture};
pub use page::page;
pub use serve::{ServeError, Server};
