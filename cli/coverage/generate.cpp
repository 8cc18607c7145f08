// Makes the mistakes of --generate: all of them in one kernel, each behind a number; those that
// cannot be switched on in a running kernel are built one at a time.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <set>
#include <span>

#include "cli/coverage/coverage.hpp"
#include "cli/coverage/laboratory.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/base/fail.hpp"
#include "harness/base/file.hpp"
#include "harness/trace/record.hpp"
#include "kernels/mutations/switched.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSourceLimit = size_t{4} << 20;
// So many scenarios that noticed mistakes of the same function are asked before all others.
constexpr size_t kAskedFirst = 8;

// "mutant_zcrx" of "io_uring/zcrx.c".
std::string parameter_of(const std::string& path) {
    std::string name = "mutant_" + fs::path(path).stem().string();
    std::ranges::replace_if(
        name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    return name;
}

uint32_t checksum_of(std::string_view text) {
    return crc32(std::as_bytes(std::span(text.data(), text.size())));
}

// The lines of the source called `name` that a compiler complains about, or that it names as the
// place of what it complains about.
std::set<uint32_t> lines_complained_of(const std::string& output, const std::string& name) {
    std::set<uint32_t> lines;
    for (size_t at = 0; at < output.size();) {
        const size_t end = std::min(output.find('\n', at), output.size());
        const std::string_view line = std::string_view(output).substr(at, end - at);
        at = end + 1;
        const size_t found = line.find(name + ":");
        if (found == std::string_view::npos || line.find("warning:") != std::string_view::npos)
            continue;
        uint32_t number = 0;
        const char* const from = line.data() + found + name.size() + 1;
        if (std::from_chars(from, line.data() + line.size(), number).ec == std::errc())
            lines.insert(number);
    }
    return lines;
}

// One source of the kernel, and the mistakes that are made in it.
class MutatedSource {
  public:
    MutatedSource(Laboratory& laboratory, std::string path, std::string text,
                  std::vector<Mutant> mutants)
        : laboratory_(laboratory),
          path_(std::move(path)),
          text_(std::move(text)),
          mutants_(std::move(mutants)),
          set_aside_(mutants_.size()) {}

    const std::vector<Mutant>& mutants() const { return mutants_; }
    const std::string& path() const { return path_; }
    const std::string& set_aside(size_t i) const { return set_aside_[i]; }
    bool is_switched(size_t i) const { return !not_switched_.contains(i); }
    std::string title(size_t i) const { return describe(mutants_[i], text_, path_); }

    // Compiles each mistake alone: what is no code, or the same code, is set aside. The kernel has
    // been built.
    Result<void> compare(const Progress& progress) {
        const auto as_it_is = laboratory_.object(path_);
        if (!as_it_is) return as_it_is.error();
        for (size_t i = 0; i < mutants_.size(); ++i) {
            if (progress && i % 20 == 0)
                progress(
                    fmt::format("compiling mistakes in {}: {} of {}", path_, i, mutants_.size()));
            if (auto put = put_mutant(i); !put) return put;
            const auto code = laboratory_.object(path_);
            if (!code && code.error().code != EIO) return code.error();
            if (!code)
                set_aside_[i] = "It does not compile.";
            else if (*code == *as_it_is)
                set_aside_[i] = "The compiler makes the same code of it.";
            if (!set_aside_[i].empty() || !can_be_switched(mutants_[i], text_))
                not_switched_.insert(i);
        }
        return restore();
    }

    // Leaves the source with all that can be switched in the twin. What stands where only a
    // constant may stand is left out, as the compiler says.
    Result<void> put_switched() {
        for (;;) {
            if (auto put = laboratory_.tree().replace(
                    path_, switched(text_, mutants_, not_switched_, parameter_of(path_)));
                !put)
                return put;
            const auto code = laboratory_.object(path_);
            if (code) return {};
            if (code.error().code != EIO) return code.error();
            const size_t before = not_switched_.size();
            for (const uint32_t line : lines_complained_of(code.error().sentence, path_))
                leave_out_line(line);
            if (not_switched_.size() == before) return code.error();
        }
    }

    Result<void> put_mutant(size_t i) {
        return laboratory_.tree().replace(path_, mutated(text_, mutants_[i]));
    }
    Result<void> restore() { return laboratory_.tree().replace(path_, text_); }

    Subject switched_to(const fs::path& kernel, size_t number) const {
        return {kernel,
                {"--module-parameter", fmt::format("kernel.{}={}", parameter_of(path_), number)}};
    }

  private:
    void leave_out_line(uint32_t line) {
        for (size_t i = 0; i < mutants_.size(); ++i) {
            const Mutant& mutant = mutants_[i];
            const auto text =
                std::string_view(text_).substr(mutant.begin, mutant.end - mutant.begin);
            const auto lines = static_cast<uint32_t>(std::ranges::count(text, '\n'));
            if (mutant.line <= line && line <= mutant.line + lines) not_switched_.insert(i);
        }
    }

    Laboratory& laboratory_;
    std::string path_, text_;
    std::vector<Mutant> mutants_;
    std::vector<std::string> set_aside_;  // why; empty if it is to be noticed
    std::set<size_t> not_switched_;
};

class Generation {
  public:
    Generation(const CoverageOptions& options, Laboratory& laboratory)
        : options_(options), laboratory_(laboratory) {}

    Result<void> run() {
        if (auto read = read_sources(); !read) return read;
        auto before = laboratory_.found_before(attempts_.terms);
        if (!before) return before.error();
        for (Attempt& attempt : *before) before_.emplace(attempt.name, std::move(attempt));
        if (auto built = laboratory_.build("the kernel as it is"); !built) return built;
        const auto as_it_is = laboratory_.keep_kernel("unpatched");
        if (!as_it_is) return as_it_is.error();
        for (MutatedSource& source : sources_)
            if (auto compared = source.compare(progress_); !compared) return compared;
        for (MutatedSource& source : sources_)
            if (auto put = source.put_switched(); !put) return put;
        if (auto built = laboratory_.build("the kernel with mistakes to switch on"); !built)
            return built;
        const auto switched = laboratory_.keep_kernel("switched");
        if (!switched) return switched.error();
        for (MutatedSource& source : sources_)
            if (auto restored = source.restore(); !restored) return restored;
        if (auto ran = laboratory_.run_reference({*switched, {}}); !ran) return ran;
        fmt::print("without a mistake: {}", to_text(laboratory_.reference()));
        for (MutatedSource& source : sources_)
            for (size_t i = 0; i < source.mutants().size(); ++i)
                if (auto tried = try_one(source, i, *switched, *as_it_is); !tried) return tried;
        return {};
    }

    const std::vector<Attempt>& attempts() const { return attempts_.all; }

  private:
    Result<void> read_sources() {
        for (const std::string& path : options_.generate) {
            auto text = read_file(laboratory_.tree().path() / path, kSourceLimit);
            if (!text) return text.error();
            std::vector<Mutant> mutants = mutants_of(*text);
            if (mutants.empty())
                return Error{EINVAL, path + " has no function in which a mistake could be made."};
            if (options_.sample != 0)
                mutants = sample_of(std::move(mutants), options_.sample, options_.run.vm.seed);
            attempts_.terms += fmt::format("{} {:08x}, ", path, checksum_of(*text));
            for (const Mutant& mutant : mutants)
                if (auto kept = keep_patch(mutant, *text, path); !kept) return kept;
            sources_.emplace_back(laboratory_, path, std::move(*text), std::move(mutants));
        }
        attempts_.terms +=
            fmt::format("scenarios \"{}\" on {}", options_.run.filter, options_.run.vm.nic);
        return {};
    }

    // So that each can be looked at, and tried again with --mutate.
    Result<void> keep_patch(const Mutant& mutant, std::string_view text, const std::string& path) {
        const fs::path folder = laboratory_.out() / "patches";
        std::error_code code;
        fs::create_directories(folder, code);
        if (code) return error_from_errno("make " + folder.string(), code.value());
        return write_whole(folder / (mutant.name + ".patch"), patch_of(mutant, text, path));
    }

    Result<void> try_one(MutatedSource& source, size_t i, const fs::path& switched,
                         const fs::path& as_it_is) {
        Attempt attempt;
        attempt.name = source.mutants()[i].name;
        if (const auto found = before_.find(attempt.name); found != before_.end()) {
            remember(source, i, found->second);
            attempts_.all.push_back(found->second);
            return {};
        }
        attempt.title = source.title(i);
        attempt.set_aside = source.set_aside(i);
        if (attempt.set_aside.empty()) {
            const auto judged =
                source.is_switched(i)
                    ? judge(attempt, source, i, source.switched_to(switched, i + 1), {switched, {}})
                    : build_and_judge(attempt, source, i, as_it_is);
            if (!judged) return judged;
        }
        fmt::print("{}", line_of(attempt));
        std::fflush(stdout);
        attempts_.all.push_back(std::move(attempt));
        return laboratory_.keep(attempts_);
    }

    Result<void> build_and_judge(Attempt& attempt, MutatedSource& source, size_t i,
                                 const fs::path& as_it_is) {
        if (auto put = source.put_mutant(i); !put) return put;
        const auto built = laboratory_.build("the kernel with " + attempt.name);
        if (auto restored = source.restore(); !restored) return restored;
        if (!built) return built;
        return judge(attempt, source, i, {laboratory_.kernel(), {}}, {as_it_is, {}});
    }

    Result<void> judge(Attempt& attempt, const MutatedSource& source, size_t i, const Subject& with,
                       const Subject& without) {
        const std::vector<std::string>& first = noticed_[source.mutants()[i].function];
        if (auto judged = laboratory_.judge(attempt, with, without, first); !judged) return judged;
        remember(source, i, attempt);
        return {};
    }

    // Who noticed it is asked first about mistakes of the same function.
    void remember(const MutatedSource& source, size_t i, const Attempt& attempt) {
        const std::string& test = attempt.verdict.test;
        if (test.empty()) return;
        std::vector<std::string>& first = noticed_[source.mutants()[i].function];
        std::erase(first, test);
        first.insert(first.begin(), test);
        if (first.size() > kAskedFirst) first.pop_back();
    }

    const CoverageOptions& options_;
    Laboratory& laboratory_;
    std::vector<MutatedSource> sources_;
    std::map<std::string, std::vector<std::string>> noticed_;  // function, to scenarios
    std::map<std::string, Attempt> before_;  // found by an earlier call, by their names
    Attempts attempts_;
    Progress progress_ = progress_for_people();
};

}  // namespace

int generate_command(const CoverageOptions& options) {
    auto laboratory = Laboratory::create(options);
    if (!laboratory) return fail(laboratory.error());
    Generation generation(options, *laboratory);
    if (auto ran = generation.run(); !ran)
        return fail(ran.error(), ran.error().code == ECANCELED ? kExitInterrupted : kExitUsage);
    return say_score(generation.attempts(), laboratory->out());
}

}  // namespace zcrxlab
