"""What the scripts of this folder share: run `cwolf verify` on a task with a limit, compare, count.

A task has an expected verdict, `true` or `false`, from the suite's own marks. What comes out is one of
agree, differ, unknown (no verdict in time), error (the input is refused). Skipped tasks are counted by reason.
"""

import argparse
import collections
import os
import resource
import subprocess
import sys

OUTCOMES = ["agree", "differ", "unknown", "error"]


def options(what):
    """The command line of a script: the folder of the suite and how to run."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("folder", help="the suite's files")
    parser.add_argument("--cwolf", default="cwolf", help="the binary")
    parser.add_argument("--cpu", type=int, default=5, help="CPU seconds for a task")
    parser.add_argument("--only", default="", help="only tasks whose name contains this")
    parser.add_argument("--every", type=int, default=1, help="only every N-th task")
    parser.add_argument("--scratch", default="corpora-scratch", help="where rewritten programs go")
    parser.add_argument("--out", default="", help="write one line a task to this file")
    return parser.parse_args()


def limited(command, cpu):
    """Runs a command; its output, its messages, its status and the CPU seconds that it took."""

    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu + 1, cpu + 2))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        os.nice(10)
        os.setsid()

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limits, text=True, errors="replace"
    )
    try:
        out, err = child.communicate(timeout=cpu * 8)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, 9)
        out, err = child.communicate()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return out, err, child.returncode, used


def reasons(suite):
    """What is known about differences: the start of a task's name, the verdict, the reason."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "explained.tsv")
    rows = [line.rstrip("\n").split("\t") for line in open(path) if not line.startswith("#")]
    return [(start, said, why) for of, start, said, why in rows if of == suite]


class Suite:
    """Runs tasks and counts them, by group and in all."""

    def __init__(self, name, options):
        self.options = options
        self.reasons = reasons(name)
        self.counts = collections.defaultdict(collections.Counter)
        self.skips = collections.Counter()
        self.differences = []
        self.errors = collections.Counter()
        self.seconds = 0.0
        self.seen = 0
        self.out = open(options.out, "w") if options.out else None
        os.makedirs(options.scratch, exist_ok=True)

    def skip(self, reason, count=1):
        """Notes tasks that are not run."""
        self.skips[reason] += count

    def wanted(self, name):
        """Whether the command line asks for this task."""
        if self.options.only not in name:
            return False
        self.seen += 1
        return self.seen % self.options.every == 0

    def run(self, group, name, expected, arguments):
        """Verifies one task and compares the verdict with the expected one."""
        command = [self.options.cwolf, "verify", "-q", "--timeout", f"{self.options.cpu}s", *arguments]
        out, err, status, used = limited(command, self.options.cpu)
        self.seconds += used
        verdict = ""
        for line in out.splitlines():
            if line.startswith("VERDICT:"):
                verdict = line[8:].strip()
        said = verdict.split("(")[0].split(" ")[0].rstrip(":")
        if said in ("true", "false"):
            outcome = "agree" if said == expected else "differ"
        elif said == "unknown" or status in (-9, -24):
            outcome = "unknown"
        else:
            outcome = "error"
            lines = [l for l in err.splitlines() if "error" in l] or err.splitlines() or [f"exit {status}"]
            verdict = lines[0][:160]
            self.errors[verdict.split(": ", 1)[-1][:70]] += 1
        self.counts[group][outcome] += 1
        if outcome == "differ":
            self.differences.append((name, expected, verdict))
        if self.out:
            print(outcome, expected, f"{used:.2f}", name, verdict, " ".join(arguments), sep="\t", file=self.out, flush=True)
        return outcome

    def report(self):
        """Prints the table of counts, what was skipped, and every difference."""
        print("| group | tasks | agree | differ | unknown | error |")
        print("| --- | --- | --- | --- | --- | --- |")
        total = collections.Counter()
        for group in sorted(self.counts):
            total.update(self.counts[group])
            self.row(group, self.counts[group])
        self.row("all", total)
        for reason, count in self.skips.most_common():
            print(f"skipped, {reason}: {count}")
        print(f"CPU seconds: {self.seconds:.0f}")
        unexplained = self.explain()
        for words, count in self.errors.most_common(12):
            print(f"error, {count} times: {words}")
        sys.exit(1 if unexplained else 0)

    def explain(self):
        """Prints the differences by reason; how many have none."""
        found = collections.defaultdict(list)
        for name, expected, verdict in self.differences:
            said = verdict.split("(")[0]
            fits = [(len(start), why) for start, of, why in self.reasons if name.startswith(start) and of == said]
            found[max(fits)[1] if fits else "not explained"].append((name, expected, verdict))
        for why, tasks in sorted(found.items()):
            print(f"differs, {len(tasks)} times: {why}")
            for name, expected, verdict in tasks:
                print(f"    {name}: expected {expected}, said {verdict}")
        return len(found["not explained"])

    @staticmethod
    def row(group, counts):
        cells = " | ".join(str(counts[o]) for o in OUTCOMES)
        print(f"| {group} | {sum(counts.values())} | {cells} |")
