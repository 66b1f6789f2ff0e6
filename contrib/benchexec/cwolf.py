"""BenchExec's view of cwolf: how `cwolf verify` is called and what its answers mean.

Put this file beside the other tools (benchexec/tools/) or on the Python path, and name it in a
benchmark definition: <benchmark tool="cwolf">.
"""

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.sv_benchmarks_util import ILP32, LP64, get_data_model_from_task

# What cwolf calls a violation, and what SV-COMP calls the property that it violates.
VIOLATIONS = {
    "unreach-call": result.RESULT_FALSE_REACH,
    "assertion": result.RESULT_FALSE_REACH,
    "overflow": result.RESULT_FALSE_OVERFLOW,
    "pointer": result.RESULT_FALSE_DEREF,
    "bounds": result.RESULT_FALSE_DEREF,
}


class Tool(benchexec.tools.template.BaseTool2):
    """cwolf: finite-state models out of C programs, and proofs about them."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("cwolf")

    def name(self):
        return "cwolf"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="cwolf")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "verify", *options]
        if task.property_file:
            command += ["--prop", task.property_file]
        model = get_data_model_from_task(task, {ILP32: "--32", LP64: "--64"})
        if model and model not in options:
            command.append(model)
        if rlimits.cputime and "--timeout" not in options:
            # Leave a second to write the answer down.
            command += ["--timeout", f"{max(1, rlimits.cputime - 1)}s"]
        if rlimits.memory and "--max-memory" not in options:
            command += ["--max-memory", str(rlimits.memory * 9 // 10)]
        return [*command, *task.input_files_or_identifier]

    def determine_result(self, run):
        for line in reversed(list(run.output)):
            if not line.startswith("VERDICT:"):
                continue
            verdict = line[len("VERDICT:") :].strip()
            if verdict == "true":
                return result.RESULT_TRUE_PROP
            if verdict.startswith("false("):
                kind = verdict[len("false(") :].rstrip(")")
                return VIOLATIONS.get(kind, f"{result.RESULT_FALSE_PROP}({kind})")
            return result.RESULT_UNKNOWN
        if run.exit_code.value == 2:
            return result.RESULT_ERROR + " (bad input)"
        return result.RESULT_ERROR
