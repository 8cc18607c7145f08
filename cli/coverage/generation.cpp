// Reads sources, compiles the mistakes in them, and asks the judge about each.
#include "cli/coverage/generation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <random>
#include <span>
#include <thread>
#include <utility>

#include "cli/coverage/kept_attempts.hpp"
#include "cli/vm_options.hpp"
#include "harness/base/file.hpp"
#include "harness/trace/record.hpp"
#include "kernels/mutations/unnoticeable.hpp"
#include "kernels/packages/cache.hpp"
#include "results/matrix/plan.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr size_t kListLimit = size_t{1} << 20;

uint32_t checksum_of(std::string_view text) {
    return crc32(std::as_bytes(std::span(text.data(), text.size())));
}

Attempt attempt_of(const Mutant& mutant, std::string_view text, const std::string& path) {
    Attempt attempt;
    attempt.name = mutant.name;
    attempt.title = describe(mutant, text, path);
    attempt.source = path;
    attempt.function = mutant.function;
    attempt.line = mutant.line;
    attempt.rule = name_of(mutant.mistake);
    return attempt;
}

unsigned lanes_of(const CoverageOptions& options) {
    return options.at_once != 0 ? options.at_once
                                : std::max(1U, std::thread::hardware_concurrency());
}

// A lane for each processor leaves none for a second VM.
unsigned vms_of(const CoverageOptions& options) {
    return options.run.vms != 0 || lanes_of(options) == 1 ? options.run.vms : 1;
}

Attempt attempt_at(const MutatedSource& source, size_t i) {
    return attempt_of(source.mutants()[i], source.text(), source.path());
}

}  // namespace

Generation::Generation(const CoverageOptions& options, Laboratory& laboratory, fs::path out,
                       fs::path unnoticeable, Scope scope)
    : options_(options),
      laboratory_(laboratory),
      out_(std::move(out)),
      unnoticeable_(std::move(unnoticeable)),
      scope_(std::move(scope)) {
    judges_.emplace_back(laboratory_, options.run.filter, vms_of(options), options.run.vms);
    for (const std::string& nic : options.also)
        judges_.emplace_back(laboratory_, options.run.filter, vms_of(options), options.run.vms,
                             nic);
}

Result<void> Generation::run() {
    {
        const auto turn = laboratory_.turn();
        if (auto read = read_sources(); !read) return read;
        if (options_.try_none) return {};
        if (std::ranges::all_of(sources_, [](const Source& one) { return one.left.empty(); }))
            return keep();
    }
    return try_all();
}

std::vector<std::pair<Generation::Source*, size_t>> Generation::by_lot() {
    std::vector<std::pair<Source*, size_t>> all;
    for (Source& source : sources_)
        for (const size_t i : source.left) all.emplace_back(&source, i);
    std::mt19937_64 lot(options_.run.vm.seed);
    // Not std::shuffle, whose order differs between libraries.
    for (size_t left = all.size(); left > 1; --left) std::swap(all[left - 1], all[lot() % left]);
    return all;
}

MutationReport Generation::report() const {
    MutationReport report{terms_, {}, attempts(), misfits_};
    for (const Source& source : sources_)
        report.sources[source.mutated.path()] = source.mutated.text();
    return report;
}

size_t Generation::left() const {
    size_t left = 0;
    for (const Source& source : sources_) left += source.left.size();
    return left;
}

std::vector<Attempt> Generation::attempts() const {
    std::vector<Attempt> all;
    for (const auto& [key, attempt] : found_) all.push_back(attempt);
    return all;
}

Result<void> Generation::read_sources() {
    std::vector<std::string> texts;
    terms_.clear();
    for (const std::string& path : options_.generate) {
        const auto text = laboratory_.read(path);
        if (!text) return text.error();
        terms_ += fmt::format("{} {:08x}{}, ", path, checksum_of(*text), words_of_scope(path));
    }
    for (const std::string& folder : options_.left_by)
        if (auto read = read_left(folder, terms_); !read) return read;
    terms_ += fmt::format("scenarios \"{}\" on {}", options_.run.filter, options_.run.vm.nic);
    for (const std::string& nic : options_.also) terms_ += ", then " + nic;
    terms_ += fmt::format(", config {}", fmt::join(options_.fragments, ","));
    if (const auto machine = words_of_machine(options_.run.vm); !machine.empty())
        terms_ += fmt::format(", machine {}", fmt::join(machine, " "));
    if (auto read = read_found(out_); !read) return read;
    for (const std::string& folder : options_.join)
        if (auto read = read_found(folder); !read) return read;
    for (const std::string& path : options_.generate)
        if (auto read = read_source(path); !read) return read;
    return {};
}

Result<void> Generation::read_found(const fs::path& folder) {
    auto before = kept_attempts(folder, terms_);
    if (!before) return before.error();
    for (Attempt& attempt : before->all)
        found_.try_emplace(Key(attempt.source, attempt.line, attempt.name), std::move(attempt));
    return {};
}

// A record leaves to the source what that says of a mistake.
void Generation::take_up(const MutatedSource& source) {
    for (size_t i = 0; i < source.mutants().size(); ++i) {
        const Mutant& mutant = source.mutants()[i];
        const auto before = found_.find({source.path(), mutant.line, mutant.name});
        if (before == found_.end() || before->second.by_hand) continue;
        Attempt& attempt = before->second;
        const Attempt said = attempt_at(source, i);
        attempt.title = said.title;
        attempt.function = said.function;
        attempt.rule = said.rule;
        noticers_.remember(attempt);
    }
}

Result<void> Generation::read_left(const fs::path& folder, const std::string& sources) {
    auto left = left_attempts(folder, sources);
    if (!left) return left.error();
    if (!asked_for_) asked_for_.emplace();
    for (const Attempt& attempt : left->all)
        asked_for_->emplace(attempt.source, attempt.line, attempt.name);
    return {};
}

Result<void> Generation::read_source(const std::string& path) {
    auto text = laboratory_.read(path);
    if (!text) return text.error();
    auto all = mutants_in_scope(path, *text);
    if (!all) return all.error();
    auto picked = share_of(*all);
    if (!picked) return picked.error();
    if (asked_for_)
        std::erase_if(*picked, [&](const Mutant& mutant) {
            return !asked_for_->contains({path, mutant.line, mutant.name});
        });
    for (const Mutant& mutant : *picked)
        if (auto kept = keep_patch(mutant, *text, path); !kept) return kept;
    if (auto aside = set_aside_by_hand(path, *text, *all, *picked); !aside) return aside;
    std::set<std::string> to_try;
    for (const Mutant& mutant : *picked)
        if (!found_.contains({path, mutant.line, mutant.name})) to_try.insert(mutant.name);
    std::vector<size_t> left;
    for (size_t i = 0; i < all->size(); ++i)
        if (to_try.contains((*all)[i].name)) left.push_back(i);
    sources_.push_back(
        {MutatedSource(laboratory_, path, std::move(*text), std::move(*all)), std::move(left)});
    take_up(sources_.back().mutated);
    return {};
}

std::string Generation::words_of_scope(const std::string& path) const {
    const auto functions = scope_.find(path);
    if (functions == scope_.end() || functions->second.empty()) return {};
    return fmt::format(" ({} functions)", functions->second.size());
}

Result<std::vector<Mutant>> Generation::mutants_in_scope(const std::string& path,
                                                         std::string_view text) const {
    std::vector<Mutant> mutants = mutants_of(text);
    const auto functions = scope_.find(path);
    if (functions != scope_.end() && !functions->second.empty())
        std::erase_if(mutants, [&](const Mutant& mutant) {
            return !functions->second.contains(mutant.function);
        });
    if (mutants.empty())
        return Error{EINVAL, path + " has no function in which a mistake could be made."};
    return mutants;
}

// The sample, and of that what falls to this machine.
Result<std::vector<Mutant>> Generation::share_of(std::vector<Mutant> mutants) const {
    if (options_.sample != 0)
        mutants = sample_of(std::move(mutants), options_.sample, options_.run.vm.seed);
    if (options_.share.empty()) return mutants;
    const auto share = MachineShare::parse(options_.share);
    if (!share) return share.error();
    std::vector<Mutant> ours;
    for (size_t i = share->number - 1; i < mutants.size(); i += share->of)
        ours.push_back(std::move(mutants[i]));
    return ours;
}

Result<void> Generation::set_aside_by_hand(const std::string& path, std::string_view text,
                                           const std::vector<Mutant>& all,
                                           const std::vector<Mutant>& picked) {
    const fs::path file = unnoticeable_ / (path + ".list");
    std::error_code code;
    if (!fs::exists(file, code)) return {};
    const auto read = read_file(file, kListLimit);
    if (!read) return read.error();
    const auto list = parse_unnoticeable(*read);
    if (!list) return Error{EINVAL, file.string() + ": " + list.error().sentence};
    for (const std::string& fault : faults_of(*list))
        misfits_.push_back(file.string() + ": " + fault);
    const bool is_another = list->checksum != checksum_of(text);
    for (const std::string& misfit : zcrxlab::misfits(list->rows, all, text))
        misfits_.push_back(
            fmt::format("{}: {}{}", file.string(), misfit,
                        is_another ? " (the list was written for " + list->version + ")" : ""));
    for (const Mutant& mutant : picked) {
        const Unnoticeable* row = row_about(list->rows, mutant, text);
        if (row == nullptr) continue;
        Attempt attempt = attempt_of(mutant, text, path);
        const Key key(path, mutant.line, mutant.name);
        const auto before = found_.find(key);
        if (before != found_.end() && before->second.verdict.noticed) {
            misfits_.push_back(fmt::format("{}: Line {} is about {}, which {} has noticed",
                                           file.string(), row->at, mutant.name,
                                           before->second.verdict.test));
            continue;
        }
        attempt.set_aside = row->reason;
        attempt.by_hand = true;
        found_.insert_or_assign(key, std::move(attempt));
    }
    return {};
}

// So that each can be looked at, and tried again with --mutate.
Result<void> Generation::keep_patch(const Mutant& mutant, std::string_view text,
                                    const std::string& path) const {
    const fs::path folder = out_ / "patches";
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) return error_from_errno("make " + folder.string(), code.value());
    return write_whole(folder / (mutant.name + ".patch"), patch_of(mutant, text, path));
}

Result<void> Generation::try_all() {
    const auto kernels = [this]() -> Result<Kernels> {
        const auto turn = laboratory_.turn();
        auto built = build_kernels();
        if (!built) return built;
        if (auto ran = run_references(*built); !ran) return ran.error();
        return built;
    }();
    if (!kernels) return kernels.error();
    const auto order = by_lot();
    const auto start = steady_clock::now();
    size_t next = 0, tried = 0;
    Result<void> ended;
    const auto try_next = [&](unsigned lane) {
        const auto turn = laboratory_.turn();
        while (ended && next < order.size()) {
            const auto [source, i] = order[next++];
            auto over = try_one(source->mutated, i, *kernels, lane);
            if (!over && ended) ended = over;
            if (!over) return;
            const std::chrono::duration<double> took = steady_clock::now() - start;
            if (progress_) progress_(progress_text(++tried, order.size(), took.count()));
        }
    };
    {
        std::vector<std::jthread> lanes;
        for (unsigned lane = 0; lane < lanes_of(options_); ++lane)
            lanes.emplace_back(try_next, lane);
    }
    return ended;
}

Result<Generation::Kernels> Generation::build_kernels() {
    if (auto built = laboratory_.build("the kernel as it is"); !built) return built.error();
    const auto as_it_is = laboratory_.keep_kernel("unpatched");
    if (!as_it_is) return as_it_is.error();
    for (Source& source : sources_)
        if (auto put = source.mutated.put_switched(); !put) return put.error();
    if (auto built = laboratory_.build("the kernel with mistakes to switch on"); !built)
        return built.error();
    const auto switched = laboratory_.keep_kernel("switched");
    if (!switched) return switched.error();
    for (Source& source : sources_)
        if (auto restored = source.mutated.restore(); !restored) return restored.error();
    return Kernels{*as_it_is, *switched};
}

// None of the mistakes is switched on.
Result<void> Generation::run_references(const Kernels& kernels) {
    const Subject without{kernels.switched, {}};
    for (Judge& judge : judges_) {
        if (auto ran = judge.run_reference(without); !ran) return ran;
        fmt::print("without a mistake: {}", to_text(judge.reference()));
        std::fflush(stdout);
        if (auto same = judge.compare_reference(without, {kernels.as_it_is, {}}); !same)
            return same;
        for (const Source& source : sources_)
            if (!source.mutated.is_told_by(judge.reached()))
                fmt::print(stderr,
                           "zcrxlab: The kernel does not say who comes by which mistake of {}, so "
                           "that each costs a whole run.\n",
                           source.mutated.path());
    }
    return {};
}

Result<void> Generation::try_one(MutatedSource& source, size_t i, const Kernels& kernels,
                                 unsigned lane) {
    Attempt attempt = attempt_at(source, i);
    Subject with{kernels.switched, {}}, without{kernels.switched, {}};
    if (source.is_switched(i)) {
        attempt.setting = source.setting(i);
        with.options = {"--module-parameter", attempt.setting};
    } else {
        if (auto compared = source.compare(i); !compared) return compared;
        attempt.set_aside = source.set_aside(i);
        if (!attempt.set_aside.empty()) return add(std::move(attempt));
        if (auto put = source.put_mutant(i); !put) return put;
        const auto built = laboratory_.build("the kernel with " + attempt.name);
        if (auto restored = source.restore(); !restored) return restored;
        if (!built) return built.error();
        // Other lanes build the next one while this one runs.
        const auto kept = laboratory_.keep_kernel(fmt::format("alone-{}", lane));
        if (!kept) return kept.error();
        with = {*kept, {}};
        without = {kernels.as_it_is, {}};
    }
    if (auto asked = ask(attempt, source, i, with, without); !asked) return asked;
    noticers_.remember(attempt);
    return add(std::move(attempt));
}

Result<void> Generation::ask(Attempt& attempt, MutatedSource& source, size_t i, const Subject& with,
                             const Subject& without) {
    attempt.unreached = true;
    // A few on each NIC cost less than all on the first.
    for (Judge& judge : judges_) {
        const auto reaching = source.reached_by(i, judge.reached());
        if (reaching && reaching->empty()) continue;
        attempt.unreached = false;
        const auto few = noticers_.asked_first(attempt, judge.nic(), reaching);
        if (auto judged = judge.judge_few(attempt, with, without, few); !judged) return judged;
        if (attempt.verdict.noticed) return {};
    }
    if (source.is_switched(i)) {
        if (auto compared = source.compare(i); !compared) return compared;
        attempt.set_aside = source.set_aside(i);
        if (!attempt.set_aside.empty()) return {};
    }
    for (Judge& judge : judges_) {
        const auto reaching = source.reached_by(i, judge.reached());
        if (reaching && reaching->empty()) continue;
        if (auto judged = judge.judge(attempt, with, without, reaching); !judged) return judged;
        if (attempt.verdict.noticed) return {};
    }
    return {};
}

Result<void> Generation::add(Attempt attempt) {
    fmt::print("{}", line_of(attempt));
    std::fflush(stdout);
    const Key key(attempt.source, attempt.line, attempt.name);
    found_.insert_or_assign(key, std::move(attempt));
    return keep();
}

Result<void> Generation::keep() const {
    return keep_attempts(out_, {terms_, attempts()});
}

}  // namespace zcrxlab
