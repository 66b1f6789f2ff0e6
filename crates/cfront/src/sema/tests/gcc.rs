//! Asking gcc: does it accept a text, and what bytes does it put into an object?

use super::{Outcome, analyse_for};
use cwolf_cwi::{InitValue, Target, Type, VarId, value};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

fn scratch(suffix: &str) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("cwolf-sema-{}-{number}{suffix}", std::process::id());
    std::env::temp_dir().join(name)
}

/// Runs the compiler for a target.
fn compiler(target: Target) -> Command {
    let (name, flags) = target.compiler.split_first().expect("a command");
    let mut command = Command::new(name);
    command.args(flags);
    command
}

/// Whether the compiler for a target is installed. Without it a test says so and looks at nothing.
#[allow(clippy::print_stderr)]
pub(super) fn installed(target: Target) -> bool {
    let found = compiler(target).arg("--version").output();
    let fine = found.is_ok_and(|output| output.status.success());
    if !fine {
        eprintln!("skipped: {} is not installed", target.compiler.join(" "));
    }
    fine
}

/// Copies sections of objects for a target; that of a cross compiler has the same first part.
fn objcopy(target: Target) -> Command {
    let name = target.compiler[0];
    Command::new(match name.strip_suffix("-gcc") {
        Some(triple) => format!("{triple}-objcopy"),
        None => "objcopy".into(),
    })
}

/// Fails unless gcc accepts the text.
pub(super) fn accepts(target: Target, text: &str) {
    let file = scratch(".c");
    std::fs::write(&file, text).expect("writable");
    let output = compiler(target)
        .args(["-fsyntax-only", "-w"])
        .arg(&file)
        .output()
        .expect("gcc runs");
    std::fs::remove_file(&file).expect("was written");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "gcc rejects: {said}\n{text}");
}

/// The bytes that gcc puts into the data section for a text.
fn gcc_image(target: Target, text: &str) -> Vec<u8> {
    let (source, object, image) = (scratch(".c"), scratch(".o"), scratch(".bin"));
    std::fs::write(&source, text).expect("writable");
    let compiled = compiler(target)
        .args(["-c", "-O0", "-w", "-fno-pie", "-o"])
        .args([&object, &source])
        .output()
        .expect("gcc runs");
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "gcc rejects: {said}\n{text}");
    // RISC-V's compiler has a section of its own for small objects.
    let copied = objcopy(target)
        .args(["-O", "binary", "-j", ".data", "-j", ".sdata"])
        .args([&object, &image])
        .status()
        .expect("objcopy runs");
    assert!(copied.success());
    let bytes = std::fs::read(&image).unwrap_or_default();
    for file in [source, object, image] {
        // A text without data has no image.
        std::fs::remove_file(file).ok();
    }
    bytes
}

/// The bytes of a variable without addresses in it.
pub(super) fn our_image(outcome: &Outcome, name: &str) -> Vec<u8> {
    let types = &outcome.program.types;
    let vars = &outcome.program.vars;
    let id = vars.ids().find(|&id| vars[id].name == name);
    let var: VarId = id.unwrap_or_else(|| panic!("no variable {name}"));
    let info = &vars[var];
    let mut bytes = vec![0u8; (types.size_of(info.ty) + info.extra) as usize];
    let mut last = 0;
    for item in &info.init {
        assert!(
            item.bit_offset >= last,
            "items are sorted and do not overlap"
        );
        let (value, bits) = match (&item.value, &types[item.ty]) {
            (InitValue::Bytes(text), _) => {
                let at = (item.bit_offset / 8) as usize;
                bytes[at..at + text.len()].copy_from_slice(text);
                last = item.bit_offset + text.len() as u64 * 8;
                continue;
            }
            (InitValue::Int(v), Type::Bool) => (*v as u128, 8),
            (InitValue::Int(v), Type::Int(ty)) => (*v as u128, u64::from(ty.bits)),
            (InitValue::Int(v), _) => (*v as u128, types.size_of(item.ty) * 8),
            (InitValue::Float(v), Type::Float(f)) => {
                (*v, value::float::encoded_size(*f) as u64 * 8)
            }
            (other, _) => panic!("{other:?} has no fixed bytes"),
        };
        let target = types.target();
        target.put_bits(&mut bytes, item.bit_offset, bits, value);
        last = item.bit_offset + bits;
    }
    bytes
}

/// Checks that the variable `all`, the only one in the text, has the bytes that gcc gives it.
pub(super) fn same_image(target: Target, text: &str) {
    let outcome = analyse_for(target, text);
    assert_eq!(outcome.errors, Vec::<String>::new(), "in {text}");
    let ours = our_image(&outcome, "all");
    let theirs = gcc_image(target, text);
    // Everything zero has no data section; alignment may add bytes at the end.
    let mut padded = ours.clone();
    padded.resize(ours.len().max(theirs.len()), 0);
    let mut wanted = theirs.clone();
    wanted.resize(padded.len(), 0);
    assert_eq!(padded, wanted, "ours and gcc's bytes of\n{text}");
}
