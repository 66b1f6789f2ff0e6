//! The examples at the end of each command's `--help`. A test reads every line of them.

pub const CWOLF: &str = "\
Examples:
  cwolf verify x.c                                    # prove it or show a run that fails
  cwolf scan src                                      # the same for a project, function by function
  cwolf model x.c -a x.am -l x.lm -o x.html           # its automaton, drawn
  cwolf lts compare -e weak x.aut spec.ccs#Spec       # does it do what it should?
  cwolf run x.c                                       # run it, stop at the first undefined step

Exit codes: 0 done or holds, 10 violated or different, 5 unknown (a limit was reached),
1 invalid command line, 2 bad input, 6 internal error.
The book: docs/README.md in the sources. Options can stand in cwolf.toml: docs/project.md.";

pub const COMPILE: &str = "\
Examples:
  cwolf compile x.c                                   # writes x.cwi
  cwolf compile -Iinclude -DNDEBUG -m32 a.c b.c
  cwolf compile build/compile_commands.json           # every file with its own flags";

pub const LINK: &str = "\
Examples:
  cwolf link a.cwi b.cwi -o program.cwi
  cwolf link a.c b.c -o program.cwi                   # compiles first";

pub const DUMP: &str = "\
Examples:
  cwolf dump x.c
  cwolf dump x.cwi -o x.cwt                           # text that every command reads again";

pub const FLOW: &str = "\
Examples:
  cwolf flow x.c -o x.svg
  cwolf flow x.c --function main --format dot
  cwolf flow x.c --root parse --depth 1 -o parse.svg  # parse and what it calls";

pub const CALLS: &str = "\
Examples:
  cwolf calls a.c b.c
  cwolf calls build/compile_commands.json -o calls.svg
  cwolf calls x.c --root parse --depth 2              # what parse calls, and what that calls
  cwolf calls x.c --root parse --callers              # who calls parse";

pub const RUN: &str = "\
Examples:
  cwolf run x.c -- first second                       # with arguments
  cwolf run x.c --values 3,-1                         # what __VERIFIER_nondet_int() gives
  cwolf run x.c --trace --max-steps 1000
  cwolf run --replay report.json                      # steps through a run that verify --json wrote";

pub const VERIFY: &str = "\
Examples:
  cwolf verify x.c --timeout 60s
  cwolf verify driver.c --spec lock.slic              # a rule about calls
  cwolf verify x.c --property bounds,pointer --html report.html
  cwolf verify x.c --json report.json                 # cwolf view report.json shows it
  cwolf verify x.c --harness failing                  # then failing/run.sh fails under gcc";

pub const SCAN: &str = "\
Examples:
  cwolf scan                                          # all C files of this folder
  cwolf scan build/compile_commands.json --html scan.html
  cwolf scan -- make -j4                              # what a build compiles
  cwolf scan --target server --function-timeout 30s src
  cwolf scan --write-baseline known.json              # once
  cwolf scan --baseline known.json --sarif new.sarif  # in CI: only what is new counts";

pub const HARNESS: &str = "\
Examples:
  cwolf harness parse parser.c -o parse_harness.c     # then: cwolf verify --entry parse_harness parse_harness.c
  cwolf harness push queue.c list.c
  cwolf verify --entry parse parser.c                 # the same freedom, without a file";

pub const LSP: &str = "\
Examples:
  cwolf lsp                                           # an editor starts it: docs/editor.md";

pub const DOCTOR: &str = "\
Examples:
  cwolf doctor";

pub const VALIDATE: &str = "\
Examples:
  cwolf verify x.c --witness x.yml && cwolf validate x.c x.yml
  cwolf validate x.c --prop unreach-call.prp --32 witness.graphml
  cwolf validate x.c witness.yml --timeout 60s --json answer.json";

pub const MODEL: &str = "\
Examples:
  cwolf model x.c --auto x.am --suggest-labels x.lm   # maps to begin with
  cwolf model x.c -a x.am -l x.lm --weak-bisim -o x.html
  cwolf model x.c -a x.am -l x.lm -o x.aut --max-states 1000000";

#[cfg(feature = "cluster")]
pub const CLUSTER: &str = "\
Examples:
  cwolf cluster run -n 3 -- model x.c -a x.am -o x.aut

On several machines, start `cwolf model … --hosts FILE --process N` on each: docs/cluster.md.";

#[cfg(feature = "cluster")]
pub const CLUSTER_RUN: &str = "\
Examples:
  cwolf cluster run -n 3 -- model x.c -a x.am -o x.aut
  cwolf cluster run -n 2 -- model x.c --jobs 2 --checkpoint saved --checkpoint-every 5m
  cwolf cluster run -n 2 -- model x.c --jobs 2 --checkpoint saved --resume";

pub const LTS: &str = "\
Examples:
  cwolf lts reduce -e weak x.aut -o small.aut
  cwolf lts compare -e weak x.aut spec.ccs#Spec
  cwolf lts convert small.aut -o small.svg";

pub const REDUCE: &str = "\
Examples:
  cwolf lts reduce -e weak x.aut -o small.aut
  cwolf lts reduce -e branching x.aut.gz --format dot";

pub const COMPARE: &str = "\
Examples:
  cwolf lts compare -e weak old.aut new.aut
  cwolf lts compare -e may x.aut spec.ccs#Spec        # is every trace of x one of Spec?";

pub const CONVERT: &str = "\
Examples:
  cwolf lts convert x.aut -o x.dot
  cwolf lts convert x.json -o x.html                  # drawn, searchable, one file";

pub const COMPOSE: &str = "\
Examples:
  cwolf lts compose left.aut right.aut --restrict send,receive -o both.aut
  cwolf lts compose l=a.aut r=b.aut channel.ccs --system '(l | Channel | r) \\ {put}'";

pub const INFO: &str = "\
Examples:
  cwolf lts info x.aut --labels
  cwolf lts info x.aut --json -";

pub const CHECK: &str = "\
Examples:
  cwolf check x.aut 'AG [[request]] EF <grant> tt'    # mu-calculus and CTL
  cwolf check x.aut 'G ({open} -> F {close})'         # LTL over actions
  cwolf check x.aut --deadlock";

pub const CONFORM: &str = "\
Examples:
  cwolf conform x.json table.tsv
  cwolf conform x.c -a x.am -l x.lm table.csv --html table.html
  cwolf conform old.json new.json --set 'event recv *'";

pub const WORKBENCH: &str = "\
Examples:
  cwolf workbench x.ccs                               # then: help
  cwolf workbench x.ccs -c 'eq -S obseq main spec'";

pub const MONITOR: &str = "\
Examples:
  cwolf monitor --model server.aut --map server.toml -- ./server 8080
  cwolf monitor --model server.aut --strace server.log
  cwolf monitor --model server.aut --seccomp profile.json";

pub const VIEW: &str = "\
Examples:
  cwolf view x.json
  cwolf view x.aut --formula 'AG <-> tt'              # plays the run that shows it
  cwolf view report.json                              # of cwolf verify --json report.json";

pub const ABSTRACT: &str = "\
Examples:
  cwolf abstract x.c -p x.pred -o x.bp
  cwolf abstract x.c -p x.pred --signatures";

pub const INVARIANTS: &str = "\
Examples:
  cwolf invariants x.c -p x.pred --label L
  cwolf invariants x.c -p x.pred --label L --implies 'i < n'
  cwolf invariants x.c -p x.pred --annotate";

pub const BEBOP: &str = "\
Examples:
  cwolf bebop x.bp                                    # can an assertion fail?
  cwolf bebop x.bp --reach ERROR
  cwolf bebop x.bp --export smv -o x.smv";

pub const INSTALL_LINKS: &str = "\
Examples:
  cwolf install-links bin";

pub const COMPLETIONS: &str = "\
Examples:
  cwolf completions bash                              # into ~/.local/share/bash-completion/completions/cwolf
  cwolf completions zsh                               # into a folder of $fpath, as _cwolf";

pub const SCHEMA: &str = "\
Examples:
  cwolf schema project                                # of cwolf.toml, for an editor
  cwolf schema report                                 # of what --json writes";

pub const MAN: &str = "\
Examples:
  cwolf man
  cwolf man -o man1                                   # one page a command";
