//! The blocks do what the tree says, effect for effect.

use super::generate::World;
use super::run_blocks::BlockRun;
use super::run_tree::TreeRun;
use super::state::State;
use crate::hir::Function;
use crate::lower::lower;
use crate::session::Session;
use cwolf_cwi::verify::verify;
use proptest::prelude::*;
use rustc_hash::FxHashMap;

/// Runs a random function both ways.
fn compare(seed: u64, size: u32) -> Result<bool, TestCaseError> {
    let mut world = World::new(seed);
    let function = world.function(size);
    let state = State::new(400, &world.shared);
    let mut tree = TreeRun {
        program: &world.program,
        state: state.clone(),
    };
    let expected = tree.run(&function);
    let expected_state = tree.state;
    if expected_state.fuel == 0 {
        return Ok(false);
    }
    check_blocks(&mut world, function, state, expected, &expected_state)?;
    Ok(true)
}

fn check_blocks(
    world: &mut World,
    function: Function,
    mut state: State,
    expected: Option<i128>,
    expected_state: &State,
) -> Result<(), TestCaseError> {
    let id = function.id;
    let text = format!("{function:#?}");
    lower(&mut world.program, &Session::default(), function);
    let violations = verify(&world.program);
    let described: Vec<_> = violations
        .iter()
        .map(|v| v.describe(&world.program))
        .collect();
    prop_assert!(described.is_empty(), "{described:?}\n{text}");
    let body = world.program.funcs[id].body.as_ref().expect("just made");
    state.fuel = 100_000;
    let mut run = BlockRun {
        program: &world.program,
        state,
        regs: FxHashMap::default(),
    };
    let found = run.run(body);
    prop_assert_eq!(found, expected);
    prop_assert_eq!(&run.state.calls, &expected_state.calls);
    let vars: Vec<_> = world
        .scalars
        .iter()
        .chain(&world.pointers)
        .copied()
        .collect();
    prop_assert_eq!(run.state.all(&vars), expected_state.all(&vars));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn blocks_do_what_the_tree_says(seed: u64, size in 1u32..5) {
        compare(seed, size)?;
    }
}

#[test]
fn most_random_functions_are_compared() {
    let compared = (0..200u64)
        .map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .filter(|seed| matches!(compare(*seed, 3), Ok(true)))
        .count();
    assert!(compared > 100, "only {compared} of 200");
}
