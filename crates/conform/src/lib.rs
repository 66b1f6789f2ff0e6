//! Holding a labelled transition system against a state/event table, cell by cell: which actions
//! does it do when an event comes in a state, and in which state is it then?
//!
//! A [`Table`] is read from CSV or TSV text, or off another system. [`Roles`] say which labels are
//! states, events and actions. [`Machine`] reads the cells off a system, each with a run that
//! shows it; [`compare`] holds them against the table. It knows nothing of C but that notes about
//! states name a file and a line, and it prints nothing.
//!
//! ```
//! use cwolf_base::{Budget, SourceMap};
//! use cwolf_conform::{Status, Table, compare};
//! use cwolf_lts::{Format, read_bytes};
//! let text = "state,event,actions,next\nclosed,open,ring,opened\nopened,open,,\n";
//! let table = Table::read("door.csv", text, &mut SourceMap::default()).expect("a table");
//! let door = b"des (0,5,4)\n(0,\"state=closed\",1)\n(1,\"event open\",2)\n(2,\"ring\",3)\n\
//!     (3,\"state=opened\",1)\n(1,\"event open\",0)\n";
//! let door = read_bytes("door.aut", door, Format::Aut).expect("a system");
//! let comparison = compare(&door, false, &table, &Budget::unlimited()).expect("no limit");
//! let cells = comparison.cells.iter().map(|c| c.status).collect::<Vec<_>>();
//! assert_eq!(cells, [Status::Different, Status::Different]);
//! ```

mod cell;
mod compare;
mod html;
mod json;
mod machine;
mod read;
mod roles;
mod rows;
mod settings;
mod table;
#[cfg(test)]
mod tests;
mod text;

pub use cell::{Alternative, Found, Next, Step};
pub use compare::{Cell, Comparison, Status, Verdict, compare};
pub use html::html;
pub use json::json;
pub use machine::{END, LOOP, Machine, START};
pub use roles::{Role, Roles};
pub use settings::{Alternatives, Impossible, Order, Settings, Unreached};
pub use table::{Entry, Table};
pub use text::text;
