// Compiles mistakes, and reads what the compiler says.
#include "cli/coverage/mutated_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>

#include "kernels/build/complaints.hpp"
#include "kernels/mutations/switched.hpp"

namespace zcrxlab {
namespace {

constexpr const char* kNoCode = "It does not compile.";
constexpr const char* kSameCode = "The compiler makes the same code of it.";

// "zcrx" of "io_uring/zcrx.c".
std::string name_of(const std::string& path) {
    std::string name = std::filesystem::path(path).stem().string();
    std::ranges::replace_if(
        name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    return name;
}

}  // namespace

Result<void> MutatedSource::compare(size_t i) {
    if (!object_) {
        if (auto put = restore(); !put) return put;
        auto as_it_is = laboratory_->compile(path_);
        if (!as_it_is) return as_it_is.error();
        object_ = std::move(*as_it_is);
    }
    if (auto put = put_mutant(i); !put) return put;
    const auto code = laboratory_->compile(path_);
    if (!code && code.error().code != EIO) return code.error();
    if (!code)
        set_aside_[i] = kNoCode;
    else if (*code == *object_)
        set_aside_[i] = kSameCode;
    return restore();
}

Result<void> MutatedSource::put_switched() {
    for (size_t i = 0; i < mutants_.size(); ++i)
        if (!can_be_switched(mutants_[i], text_)) not_switched_.insert(i);
    for (;;) {
        const std::string all = switched(text_, mutants_, not_switched_, name_of(path_));
        if (auto put = laboratory_->write(path_, all); !put) return put;
        const auto code = laboratory_->compile(path_);
        if (code) return {};
        if (code.error().code != EIO) return code.error();
        const size_t before = not_switched_.size();
        for (const uint32_t line : lines_complained_of(code.error().sentence, path_))
            leave_out_line(line);
        if (not_switched_.size() == before) return code.error();
    }
}

Result<void> MutatedSource::put_mutant(size_t i) {
    return laboratory_->write(path_, mutated(text_, mutants_[i]));
}

Result<void> MutatedSource::restore() {
    return laboratory_->write(path_, text_);
}

std::string MutatedSource::setting(size_t i) const {
    return fmt::format("kernel.{}={}", switch_parameter(name_of(path_)), i + 1);
}

std::optional<std::set<std::string>> MutatedSource::reached_by(
    size_t i, const ReachedMistakes& reached) const {
    if (!is_switched(i)) return std::nullopt;
    return reached.tests_at(reached_parameter(name_of(path_)), i + 1);
}

bool MutatedSource::is_told_by(const ReachedMistakes& reached) const {
    return reached.tells_of(reached_parameter(name_of(path_)));
}

void MutatedSource::leave_out_line(uint32_t line) {
    for (size_t i = 0; i < mutants_.size(); ++i) {
        const Mutant& mutant = mutants_[i];
        const auto text = std::string_view(text_).substr(mutant.begin, mutant.end - mutant.begin);
        const auto lines = static_cast<uint32_t>(std::ranges::count(text, '\n'));
        if (mutant.line <= line && line <= mutant.line + lines) not_switched_.insert(i);
    }
}

}  // namespace zcrxlab
