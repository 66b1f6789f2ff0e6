//! `cwolf install-links DIR`: the thesis' command names.

use crate::args::{InstallLinks, LINKS};
use crate::exit::{DONE, Exit};
use crate::render::Console;
use anyhow::{Context, Result};
use serde_json::json;
use std::fs;

pub fn run(args: &InstallLinks, console: &Console) -> Result<Exit> {
    let program = std::env::current_exe().context("cannot find this program's own path")?;
    let folder = &args.folder;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let own = folder.join("cwolf");
    // The program itself may be there; a link of an earlier time leads elsewhere.
    let is_program = own.exists() && !own.is_symlink();
    let names = LINKS.iter().map(|(name, _)| *name);
    for name in names.chain((!is_program).then_some("cwolf")) {
        let link = folder.join(name);
        if link.is_symlink() {
            fs::remove_file(&link).with_context(|| format!("cannot replace {}", link.display()))?;
        }
        std::os::unix::fs::symlink(&program, &link)
            .with_context(|| format!("cannot make {}", link.display()))?;
    }
    let links: Vec<&str> = LINKS.iter().map(|(name, _)| *name).collect();
    console.result(json!({ "folder": folder.display().to_string(), "links": links }));
    Ok(DONE)
}
