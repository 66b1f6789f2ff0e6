use super::*;
use crate::program::Program;
use crate::testing::random_program;
use cwolf_base::view::{Digraph, Format};
use proptest::prelude::*;

/// The program of the thesis' Figure 4.4, as the front end would lower it.
pub(crate) const FSM: &str = r#"cwi 2
target x86_64
type struct FILE incomplete align 1
global stdin: *struct FILE declared @"stdio.h":1:1
function _IO_getc: fn(*struct FILE) i32 declared @2:1
function main: fn() i32 @"fsm.c":3:5
  local state: i32 @4:7
  local ch: i8 @5:8
  reg r#1: i32
{
block_0:
  state = 0 @4:7
  goto block_1 @6:3
block_1:
  call _IO_getc(stdin) -> block_2 @7:10
block_2:
  r#1 = r#0 @7:10
  ch = i8(r#1) @7:8
  if (i32(ch) == 10 || i32(ch) < 0) then goto block_3 else goto block_4 @8:9
block_3:
  return (0) @9:7
block_4:
  switch (state)
    case 0: goto block_5
    case 1: goto block_9
    default: goto block_1 @10:5
block_5:
  if (i32(ch) == 98) then goto block_6 else goto block_7 @12:11
block_6:
  state = state + 1 @13:9
  goto block_1 @13:9
block_7:
  if (i32(ch) != 97) then goto block_8 else goto block_1 @14:18
block_8:
  return (1) @15:9
block_9:
  if (i32(ch) != 98) then goto block_10 else goto block_1 @19:11
block_10:
  return (1) @20:9
}
"#;

fn fsm() -> Program {
    crate::text::parse(FSM).unwrap_or_else(|d| panic!("{d:#?}"))
}

fn edges(g: &Digraph) -> Vec<String> {
    let name = |n: u32| g.nodes()[n as usize].name.clone();
    let edges = g.edges().iter();
    edges
        .map(|e| format!("{} -{}-> {}", name(e.from), e.label, name(e.to)))
        .collect()
}

#[test]
fn figure_4_6() {
    let p = fsm();
    let g = flow_graph(&p, p.function("main").as_slice().into());
    assert_eq!(
        edges(&g),
        [
            "main --> block_0",
            "block_0 --> block_1",
            "block_1 -call-> _IO_getc",
            "_IO_getc -return-> block_2",
            "block_2 -true-> block_3",
            "block_2 -false-> block_4",
            "block_3 --> halt",
            "block_4 -0-> block_5",
            "block_4 -1-> block_9",
            "block_4 -default-> block_1",
            "block_5 -true-> block_6",
            "block_5 -false-> block_7",
            "block_6 --> block_1",
            "block_7 -true-> block_8",
            "block_7 -false-> block_1",
            "block_8 --> halt",
            "block_9 -true-> block_10",
            "block_9 -false-> block_1",
            "block_10 --> halt",
        ]
    );
    let label = &g.nodes()[2].label;
    assert_eq!(label, "block_1:\n  call _IO_getc(stdin) -> block_2");
}

#[test]
fn calls() {
    let g = call_graph(&fsm());
    assert_eq!(edges(&g), ["main --> _IO_getc"]);
}

proptest! {
    #[test]
    fn every_program_can_be_drawn(seed: u64, size in 0usize..12) {
        let p = random_program(seed, size);
        for graph in [flow_graph(&p, None), call_graph(&p)] {
            for format in Format::ALL {
                let text = graph.render(format);
                prop_assert!(format == Format::Text || !text.is_empty());
            }
        }
    }
}
