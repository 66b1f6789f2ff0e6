//! `cwolf workbench`: the shell. Commands come from the command line or standard input.

use super::terminal::Terminal;
use crate::args::Workbench;
use crate::exit::{BAD_INPUT, DONE, Exit};
use crate::output;
use crate::render::Console;
use anyhow::Result;
use cwolf_workbench::Session;
use std::io::{BufRead, IsTerminal};

pub fn run(args: &Workbench, console: &Console) -> Result<Exit> {
    let mut shell = Shell {
        session: Session::default(),
        args,
        console,
        failed: false,
    };
    for file in &args.files {
        if !shell.line(&format!("load {file}"))? {
            return Ok(shell.exit());
        }
    }
    if args.command.is_empty() {
        shell.read()?;
    }
    for command in &args.command {
        if !shell.line(command)? {
            break;
        }
    }
    Ok(shell.exit())
}

struct Shell<'a> {
    session: Session,
    args: &'a Workbench,
    console: &'a Console,
    failed: bool,
}

impl Shell<'_> {
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
            output::write(None, shown.as_bytes())?;
        }
        // Each command has its own time, and Ctrl-C ends it alone.
        let limits = &self.args.limits;
        self.session.set_budget(limits.budget(self.console));
        self.session.set_max_states(limits.max_states);
        let reply = self.session.execute(line);
        output::write(None, reply.text.as_bytes())?;
        self.console
            .diagnostics(self.session.sources(), reply.diagnostics.iter());
        if let Some(error) = &reply.error {
            self.console.error(error);
        }
        self.failed |= reply.is_failure();
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
