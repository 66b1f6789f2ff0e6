//! `cwolf workbench`: the shell. Commands come from the command line or standard input.

use super::terminal::Terminal;
use crate::args::Workbench;
use crate::exit::{BAD_INPUT, DONE, Exit};
use crate::render::Console;
use anyhow::Result;
use cwolf_workbench::Session;
use serde_json::{Value, json};
use std::io::{BufRead, IsTerminal};

pub fn run(args: &Workbench, console: &Console) -> Result<Exit> {
    let mut shell = Shell {
        session: Session::default(),
        args,
        console,
        failed: false,
        replies: Vec::new(),
    };
    shell.session()?;
    console.result(json!({ "replies": std::mem::take(&mut shell.replies) }));
    Ok(shell.exit())
}

struct Shell<'a> {
    session: Session,
    args: &'a Workbench,
    console: &'a Console,
    failed: bool,
    replies: Vec<Value>,
}

impl Shell<'_> {
    fn session(&mut self) -> Result<()> {
        for file in &self.args.files {
            if !self.line(&format!("load {file}"))? {
                return Ok(());
            }
        }
        if self.args.command.is_empty() {
            self.read()?;
        }
        for command in &self.args.command {
            if !self.line(command)? {
                break;
            }
        }
        Ok(())
    }
    fn read(&mut self) -> Result<()> {
        if std::io::stdin().is_terminal() {
            let mut terminal = Terminal::new()?;
            while let Some(text) = terminal.line(self.session.prompt(), self.session.words())? {
                // A pasted script arrives as one text.
                for line in text.lines() {
                    if !self.line(line)? {
                        return Ok(());
                    }
                }
            }
            return Ok(());
        }
        let mut input = std::io::stdin().lock();
        let mut bytes = Vec::new();
        while input.read_until(b'\n', &mut bytes)? > 0 {
            if !self.line(&String::from_utf8_lossy(&bytes))? {
                break;
            }
            bytes.clear();
        }
        Ok(())
    }
    /// Carries out one line; false at the end of the session.
    fn line(&mut self, line: &str) -> Result<bool> {
        if self.args.echo {
            let shown = format!("{}{}\n", self.session.prompt(), line.trim());
            self.console.print(None, shown.as_bytes())?;
        }
        // Each command has its own time, and Ctrl-C ends it alone.
        let limits = &self.args.limits;
        self.session.set_budget(limits.budget(self.console));
        self.session.set_max_states(limits.max_states);
        let reply = self.session.execute(line);
        self.console.print(None, reply.text.as_bytes())?;
        self.console
            .diagnostics(self.session.sources(), reply.diagnostics.iter());
        if let Some(error) = &reply.error {
            self.console.error(error);
        }
        self.failed |= reply.is_failure();
        self.replies.push(json!({
            "command": line.trim(),
            "text": reply.text,
            "failed": reply.is_failure(),
        }));
        let ends = reply.quits || (self.args.strict && reply.is_failure());
        Ok(!ends)
    }
    /// A person at a terminal has seen the errors; a script's caller wants a status.
    fn exit(&self) -> Exit {
        match self.failed && !std::io::stdin().is_terminal() {
            true => BAD_INPUT,
            false => DONE,
        }
    }
}
