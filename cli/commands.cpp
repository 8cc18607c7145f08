// The commands of zcrxlab: help, the wrapper vm/zcrxlab and the README are made from this table.
#include <array>

#include "cli/bench/bench.hpp"
#include "cli/bisect/bisect.hpp"
#include "cli/command.hpp"
#include "cli/conform/conform.hpp"
#include "cli/coverage/coverage.hpp"
#include "cli/doctor/doctor.hpp"
#include "cli/exec/exec.hpp"
#include "cli/explain/explain.hpp"
#include "cli/fuzz/fuzz.hpp"
#include "cli/kernel/kernel.hpp"
#include "cli/kernels/kernels.hpp"
#include "cli/lab/lab.hpp"
#include "cli/list/list.hpp"
#include "cli/matrix/matrix.hpp"
#include "cli/merge/merge.hpp"
#include "cli/report/report.hpp"
#include "cli/repro/repro.hpp"
#include "cli/run/row.hpp"
#include "cli/shell/shell.hpp"
#include "cli/shrink/shrink.hpp"
#include "cli/source/source.hpp"
#include "cli/trace/trace.hpp"

namespace zcrxlab {

std::span<const Command> commands() {
    static const std::array kCommands{
        run_row(),
        Command("trace", "shows what happened in the scenarios of a run, as text or as a page",
                add_trace_options, trace_manual, trace_command),
        Command("report", "makes one page of the results of a run", add_report_options,
                report_manual, report_command),
        Command("shell", "boots the same VM with a prompt", add_shell_options, shell_manual,
                shell_command),
        Command("exec", "runs a program of this machine in the VM, and ends with its exit code",
                add_exec_options, exec_manual, exec_command),
        Command("conform",
                "drives a receiver of this machine through situations, and says what is wrong",
                add_conform_options, conform_manual, conform_command),
        Command("lab", "runs scenarios on a real NIC of this machine, and puts it back as it was",
                add_lab_options, lab_manual, lab_command),
        Command("doctor", "says what of this machine works, what does not, and what repairs it",
                add_doctor_options, doctor_manual, doctor_command),
        Command("list", "lists scenarios and what they need", add_list_options, list_manual,
                list_command),
        Command("explain", "says what can be behind an errno, or which kernels have a fixed bug",
                add_explain_options, explain_manual, explain_command),
        Command("kernels", "lists the kernels that can be had, and those in the cache",
                add_kernels_options, kernels_manual, kernels_command),
        Command("kernel", "builds a kernel of your own for \"run --kernel\"", add_kernel_options,
                kernel_manual, kernel_command),
        Command("source",
                "fetches what outside tests and modules are built from, and says where it is",
                add_source_options, source_manual, source_command),
        Command("matrix", "runs on many kernels, and makes one table of all of them",
                add_matrix_options, matrix_manual, matrix_command),
        Command("merge", "joins the results of several machines into one table", add_merge_options,
                merge_manual, merge_command),
        Command("bisect", "finds the stock kernels between which a test changed",
                add_bisect_options, bisect_manual, bisect_command),
        Command("fuzz", "runs random lists of actions, VM after VM, and keeps those that fail",
                add_fuzz_options, fuzz_manual, fuzz_command),
        Command("shrink", "makes a list that fails as small as it can be", add_shrink_options,
                shrink_manual, shrink_command),
        Command("repro",
                "turns a list of actions into a C file, a script, or a bundle for a report",
                add_repro_options, repro_manual, repro_command),
        Command("bench", "measures, with QEMU's own NICs beside ours; a table and JSON",
                add_bench_options, bench_manual, bench_command),
        Command("coverage",
                "runs scenarios on a kernel that counts its lines, and shows those that never ran",
                add_coverage_options, coverage_manual, coverage_command)};
    return kCommands;
}

}  // namespace zcrxlab
