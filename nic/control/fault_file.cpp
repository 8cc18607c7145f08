// load_faults: fault rules from a file, so that they hold from the first packet on.
#include "nic/control/fault_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "harness/base/fd.hpp"
#include "harness/faults/fault_rule_json.hpp"
#include "harness/faults/json_text.hpp"

namespace zcrxlab::nic {
namespace {

constexpr size_t kMaximumFile = 1U << 20;

Error misplaced(const char* unit, size_t number, const Error& error) {
    return {error.code, fmt::format("Fault rules, {} {}: {}", unit, number, error.sentence)};
}

}  // namespace

Result<std::vector<FaultRule>> parse_faults(std::string_view text) {
    std::vector<FaultRule> rules;
    size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin != std::string_view::npos && text[begin] == '[') {
        auto array = parse_strict_json(text);
        if (!array) return Error{EINVAL, "Fault rules, as an array: " + array.error().sentence};
        for (const auto& object : *array) {
            auto rule = fault_rule_from_json(object);
            if (!rule) return misplaced("number", rules.size() + 1, rule.error());
            rules.push_back(*rule);
        }
        return rules;
    }
    size_t number = 0;
    while (!text.empty()) {
        size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        number += 1;
        size_t first = line.find_first_not_of(" \t\r");
        if (first == std::string_view::npos || line[first] == '#') continue;
        auto rule = read_fault_rule(line);
        if (!rule) return misplaced("line", number, rule.error());
        rules.push_back(*rule);
    }
    return rules;
}

Result<std::vector<FaultRule>> load_faults(const std::string& path) {
    Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return error_from_errno("open " + path);
    std::string text(kMaximumFile + 1, '\0');
    size_t size = 0;
    while (size < text.size()) {
        ssize_t count = ::read(file.get(), text.data() + size, text.size() - size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return error_from_errno("read " + path);
        if (count == 0) break;
        size += static_cast<size_t>(count);
    }
    if (size > kMaximumFile) return Error{EFBIG, path + " has more than 1 MiB of fault rules."};
    auto rules = parse_faults(std::string_view(text).substr(0, size));
    if (!rules) return Error{rules.error().code, path + ": " + rules.error().sentence};
    return rules;
}

}  // namespace zcrxlab::nic
