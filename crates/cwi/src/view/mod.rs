//! Pictures of programs: control flow as in the thesis' Figure 4.6, and who calls whom.
//!
//! ```
//! use cwolf_base::view::Format;
//! let text = "cwi 2 target x86_64
//!     function main: fn() i32 @\"a.c\":1:1 { block_0: return (0) @1:14 }";
//! let program = cwolf_cwi::text::parse(text).expect("it is valid");
//! let graph = cwolf_cwi::view::flow_graph(&program, None);
//! assert!(graph.render(Format::Dot).contains("return (0)"));
//! ```

mod calls;
mod flow;
#[cfg(test)]
mod tests;

pub use calls::call_graph;
pub use flow::flow_graph;
