// Explain: selects the causes of an errno, compares each with the facts, and writes the answer.
#include "scenarios/explain/explain.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "harness/base/errno_name.hpp"

namespace zcrxlab {
namespace {

struct Operation {
    std::string_view name;
    std::string_view sentence;
};
constexpr Operation kOperations[] = {
    {"register", "registering a queue (IORING_REGISTER_ZCRX_IFQ)"},
    {"import", "importing an instance (ZCRX_REG_IMPORT)"},
    {"submit", "submitting IORING_OP_RECV_ZC"},
    {"receive", "the final CQE of a RECV_ZC request"},
    {"control", "a control operation (IORING_REGISTER_ZCRX_CTRL)"},
    {"ethtool", "changing the interface while a queue is bound"},
};

std::string with_interface(std::string_view text, const Facts& facts) {
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
        const bool word = text.substr(i, 2) == "IF" && (i == 0 || text[i - 1] == ' ') &&
                          (i + 2 == text.size() || std::strchr(" ;,", text[i + 2]) != nullptr);
        if (word && !facts.interface.empty()) {
            result += facts.interface;
            ++i;
        } else {
            result += text[i];
        }
    }
    return result;
}

// Sorts causes that this machine shows first, then those it cannot show, then those it rules out.
int rank(std::optional<bool> here) {
    if (!here) return 1;
    return *here ? 0 : 2;
}

}  // namespace

bool is_operation(std::string_view text) {
    return std::ranges::any_of(kOperations, [&](const auto& each) { return each.name == text; });
}

std::string explain_errno(int code, std::string_view operation, const Facts& facts) {
    std::string text;
    for (const Operation& each : kOperations) {
        if (!operation.empty() && operation != each.name) continue;
        std::vector<const Cause*> found;
        for (const Cause& cause : causes())
            if (cause.operation == each.name && cause.code == code) found.push_back(&cause);
        if (found.empty()) continue;
        const auto here = [&](const Cause* cause) {
            return cause->here != nullptr ? cause->here(facts) : std::nullopt;
        };
        std::ranges::stable_sort(found, {}, [&](const Cause* cause) { return rank(here(cause)); });
        text += errno_name(code) + " from " + std::string(each.sentence) + ":\n";
        for (const Cause* cause : found) {
            const std::optional<bool> so = here(cause);
            text += "  - " + std::string(cause->sentence);
            if (so) text += *so ? " [so it is here]" : " [not so here]";
            text += "\n";
            if (!cause->mend.empty() && so.value_or(true))
                text += "      " + with_interface(cause->mend, facts) + "\n";
        }
    }
    if (text.empty()) {
        text = "The contract of zero-copy receive knows no " + errno_name(code) +
               (operation.empty() ? "" : " from " + std::string(operation)) +
               "; a socket or the driver may give it.\n";
    }
    return text;
}

}  // namespace zcrxlab
