// Checks values against kernels, NICs and scenarios. Our own programs are asked for what only they
// know.
#include "cli/vm_values.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <vector>

#include "cli/nearest.hpp"
#include "harness/base/environment.hpp"
#include "harness/base/program.hpp"
#include "harness/faults/fault_rule_json.hpp"
#include "harness/targets/netdevsim_rule.hpp"
#include "kernels/packages/cache.hpp"
#include "kernels/release.hpp"
#include "lists/language/action_files.hpp"
#include "vm/guest/guest_plan.hpp"
#include "vm/options.hpp"
#include "vm/programs.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr unsigned kLeastMemory = 256;  // MiB
// Answers without looking at the machine.
constexpr std::chrono::seconds kAnswerBound{20};

unsigned memory_of_this_machine() {
    const auto pages = static_cast<uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 0L));
    return static_cast<unsigned>(pages * static_cast<uint64_t>(::getpagesize()) >> 20);
}

// What one of our programs prints.
Result<std::string> answer_of(const std::string& name, const std::vector<std::string>& words,
                              const ProgramOptions& options) {
    const auto program = own_program(name);
    if (!program) return program.error();
    std::vector<std::string> command{program->string()};
    command.insert(command.end(), words.begin(), words.end());
    auto run = run_program(command, options);
    if (!run) return run.error();
    if (run->exit_code != 0)
        return Error{EINVAL, "A part of zcrxlab does not answer: " + last_lines(run->output, 1)};
    return std::move(run->output);
}

// With `actions` not empty, the lists there.
Result<std::string> list_of_scenarios(const std::string& filter, const std::string& actions) {
    std::vector<std::string> words{"--list", "--filter", filter};
    if (!actions.empty()) words.insert(words.end(), {"--actions", actions});
    ProgramOptions options;
    options.environment = {{environment::kActions, ""}};
    options.timeout = kAnswerBound;
    return answer_of("zcrx-scenarios", words, options);
}

// Those of a list for people: two blanks, and "chapter.name".
std::vector<std::string> names_in(const std::string& list) {
    std::vector<std::string> names;
    std::istringstream lines(list);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("  ") && line[2] != ' ') names.push_back(line.substr(2));
    return names;
}

std::string filter_refusal(const std::string& filter, const std::string& actions) {
    if (filter.empty()) return "Its value is empty.";
    const auto selected = list_of_scenarios(filter, actions);
    if (!selected) return selected.error().sentence;
    if (!selected->empty()) return {};
    const auto all = list_of_scenarios("*", actions);
    const std::string hint = all ? did_you_mean(filter, names_in(*all)) : ".";
    if (!actions.empty())
        return fmt::format("No list of actions in {} matches \"{}\"{}", actions, filter, hint);
    return fmt::format("No scenario matches \"{}\"{} To see all, type: zcrxlab list", filter, hint);
}

// The first words of its lines.
std::vector<std::string> first_words(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        words.push_back(line.substr(0, line.find(' ')));
    return words;
}

std::vector<std::string> names_of_nics(bool (*fits)(const NicRow&)) {
    std::vector<std::string> names;
    for (const NicRow& row : nic_rows())
        if (fits(row)) names.emplace_back(row.name);
    return names;
}

std::string nic_refusal(const std::string& value, bool (*fits)(const NicRow&),
                        bool (*offered)(const NicRow&)) {
    const NicRow* nic = find_nic(value);
    if (nic != nullptr && fits(*nic)) return {};
    return fmt::format("There is no NIC \"{}\"; there are {}{}", value, nic_labels(offered, ", "),
                       did_you_mean(value, names_of_nics(offered)));
}

}  // namespace

ValueCheck kernel_to_boot() {
    return [](const std::string& value) -> std::string {
        std::error_code error;
        if (value.empty())
            return "Its value is empty; give a version (7.3.4, 7.3), a bzImage or a folder. What "
                   "there is: zcrxlab kernels";
        if (fs::exists(value, error)) return {};
        if (value.find('/') != std::string::npos)
            return fmt::format("There is no file or folder \"{}\".", value);
        const auto cache = Cache::from_environment();
        if (cache && fs::is_directory(cache->root() / "built" / value, error)) return {};
        const auto wish = KernelWish::parse(value);
        return wish ? std::string() : wish.error().sentence;
    };
}

ValueCheck memory_of_a_guest() {
    return [](const std::string& value) -> std::string {
        const unsigned size = mebibytes(value);
        const unsigned most = std::max(memory_of_this_machine(), kLeastMemory);
        if (size >= kLeastMemory && size <= most) return {};
        return fmt::format(
            "\"{}\" is no memory size from {}M to {}M, which is what this machine "
            "has; like this: 512M, 1G.",
            value, kLeastMemory, most);
    };
}

ValueCheck nic_of_a_vm() {
    return [](const std::string& value) { return nic_refusal(value, is_for_a_vm, is_offered); };
}

ValueCheck nic_that_fits(bool (*fits)(const NicRow&)) {
    return [fits](const std::string& value) { return nic_refusal(value, fits, fits); };
}

ValueCheck nics_that_fit(bool (*fits)(const NicRow&)) {
    return [fits](const std::string& value) -> std::string {
        if (value.empty()) return "Its value is empty.";
        std::istringstream words(value);
        for (std::string word; std::getline(words, word, ',');)
            if (std::string wrong = nic_refusal(word, fits, fits); !wrong.empty()) return wrong;
        return {};
    };
}

ValueCheck parameter_of_a_module() {
    return [](const std::string& value) {
        if (guest_parameter_from(value)) return std::string();
        return fmt::format("\"{}\" is no setting of a module; like this: gve.debug=1.", value);
    };
}

ValueCheck actions_to_run() {
    return [](const std::string& value) -> std::string {
        if (value.empty()) return "Its value is empty.";
        const auto files = action_files(value);
        return files ? std::string() : files.error().sentence;
    };
}

ValueCheck fault_rule_for(const std::string& nic) {
    return [&nic](const std::string& value) -> std::string {
        const auto rule = read_fault_rule(value);
        if (!rule)
            return fmt::format("zcrxlab refuses the fault rule {}: {}", value,
                               rule.error().sentence);
        const NicRow* row = find_nic(nic);
        if (row == nullptr) return {};
        if (!row->faults)
            return fmt::format("{} takes no fault rules; type: --nic {}", nic,
                               nic_labels(takes_faults, ", or --nic "));
        if (row->place != NicPlace::kGuestDriver) return {};
        const auto translated = netdevsim_rule(*rule, 1, true);
        if (translated) return {};
        return fmt::format("{} refuses the fault rule {}: {}", nic, value,
                           translated.error().sentence);
    };
}

ValueCheck mutation_of(const std::string& nic) {
    return [&nic](const std::string& value) -> std::string {
        const NicRow* row = find_nic(nic);
        if (row == nullptr) return {};
        if (!row->mutations)
            return fmt::format("{} makes no mistakes on purpose; type: --nic {}", nic,
                               nic_labels(takes_mutations, ", or --nic "));
        ProgramOptions options;
        options.timeout = kAnswerBound;
        const auto listed =
            answer_of("zcrx-nic", {"--model", std::string(row->model), "--mutations"}, options);
        if (!listed) return listed.error().sentence;
        return one_of(first_words(*listed))(value);
    };
}

ValueCheck filter_of_scenarios() {
    return [](const std::string& value) { return filter_refusal(value, ""); };
}

ValueCheck filter_of_scenarios_or(const std::string& actions) {
    return [&actions](const std::string& value) { return filter_refusal(value, actions); };
}

}  // namespace zcrxlab
