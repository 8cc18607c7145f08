// Reads and writes mutations.json.
#include "cli/coverage/kept_attempts.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "harness/base/exit_code.hpp"
#include "harness/base/file.hpp"
#include "kernels/packages/cache.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFound = "mutations.json";
constexpr const char* kRecord = "record";
constexpr size_t kFoundLimit = size_t{64} << 20;

}  // namespace

Result<fs::path> folder_of_attempts(const fs::path& wanted) {
    const fs::path out = fs::absolute(wanted.empty() ? "zcrxlab-mutations" : wanted);
    std::error_code code;
    fs::create_directories(out, code);
    if (code) return error_from_errno("make " + out.string(), code.value());
    return out;
}

Result<Attempts> kept_attempts(const fs::path& out, const std::string& terms) {
    std::error_code code;
    if (!fs::exists(out / kFound, code)) return Attempts{terms, {}};
    const auto text = read_file(out / kFound, kFoundLimit);
    if (!text) return text.error();
    auto attempts = attempts_from_json(*text);
    if (!attempts || attempts->terms != terms)
        return Error{
            EEXIST, fmt::format("{} is about other mistakes, scenarios or kernels than those asked "
                                "for; type: --out ANOTHER",
                                (out / kFound).string())};
    std::erase_if(attempts->all,
                  [](const Attempt& one) { return !one.problem.empty() || one.by_hand; });
    return attempts;
}

Result<Attempts> left_attempts(const fs::path& folder, const std::string& sources) {
    const auto text = read_file(folder / kFound, kFoundLimit);
    if (!text) return text.error();
    auto attempts = attempts_from_json(*text);
    if (!attempts || !attempts->terms.starts_with(sources))
        return Error{EEXIST, fmt::format("{} is about other sources than those asked for",
                                         (folder / kFound).string())};
    std::erase_if(attempts->all, [](const Attempt& one) {
        const Outcome outcome = outcome_of(one);
        return outcome != Outcome::kNotNoticed && outcome != Outcome::kAtTimes;
    });
    return attempts;
}

Result<void> keep_attempts(const fs::path& out, const Attempts& attempts) {
    std::error_code code;
    fs::create_directories(out / kRecord, code);
    if (code) return error_from_errno("make " + (out / kRecord).string(), code.value());
    if (auto written = write_whole(out / kFound, to_json(attempts)); !written) return written;
    return write_whole(out / kRecord / kFound, to_record(attempts));
}

int say_score(const std::vector<Attempt>& attempts, const fs::path& out) {
    const MutationScore score = score_of(attempts);
    fmt::print("{}; results: {}\n", to_text(score), out.string());
    if (score.not_tried > 0) return kExitUsage;
    return score.noticed == score.tried ? kExitPassed : kExitFailed;
}

}  // namespace zcrxlab
