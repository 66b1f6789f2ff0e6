//! Reads rules and tells what is wrong with them.

use crate::exit::{Exit, Reported};
use crate::render::Console;
use anyhow::{Context, Result, bail};
use cwolf_base::{Budget, SourceMap};
use cwolf_prepare::slic::{self, Rule, RuleError};
use std::path::{Path, PathBuf};

/// The rules in these files.
pub fn load(paths: &[PathBuf], budget: &Budget, console: &Console) -> Result<Vec<Rule>> {
    let rules: Result<Vec<Rule>> = paths.iter().map(|p| rule(p, budget, console)).collect();
    let rules = rules?;
    for (n, rule) in rules.iter().enumerate() {
        if rules[..n].iter().any(|r| r.name == rule.name) {
            bail!("two rules are called `{}`; rename one file", rule.name);
        }
    }
    Ok(rules)
}

fn rule(path: &Path, budget: &Budget, console: &Console) -> Result<Rule> {
    let shown = path.display().to_string();
    if path.extension().is_some_and(|e| e != "slic") {
        let format = cwolf_lts::Format::from_path(path);
        let Some(format) = format else {
            bail!("{shown} is not a rule: give SLIC (.slic) or an automaton (.aut, .ccs)");
        };
        let lts = cwolf_lts::read_path(path, Some(format))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        return slic::from_lts(&stem, &shown, &lts, budget).with_context(|| shown.clone());
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {shown}"))?;
    let text: std::sync::Arc<str> = String::from_utf8_lossy(&bytes).into();
    let mut sources = SourceMap::default();
    let start = sources.add(&shown, text.clone());
    slic::parse(&shown, &text, start).map_err(|diagnostics| {
        console.diagnostics(&sources, diagnostics.iter());
        Reported.into()
    })
}

/// Shows what is wrong with a rule's C.
pub fn report(error: &RuleError, console: &Console) -> Result<Exit> {
    if let RuleError::Compile(_, compilation) = error {
        console.diagnostics(&compilation.sources, compilation.diagnostics.iter());
    }
    console.error(&error.to_string());
    Err(Reported.into())
}
