// Picks the kernel in the middle of those that are left.
#include "results/bisect/bisection.hpp"

#include <algorithm>
#include <bit>

namespace zcrxlab {

std::string_view name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::kGood:
            return "good";
        case Verdict::kBad:
            return "bad";
        case Verdict::kUnclear:
            return "cannot be judged";
    }
    return "cannot be judged";
}

Bisection::Bisection(size_t count, Verdict oldest)
    : verdicts_(count), oldest_(oldest), newer_(count - 1) {
    verdicts_.front() = oldest;
    verdicts_.back() = oldest == Verdict::kGood ? Verdict::kBad : Verdict::kGood;
}

std::vector<size_t> Bisection::next(unsigned most) const {
    const std::vector<size_t> candidates = untried();
    const size_t wanted = std::min<size_t>(most, candidates.size());
    std::vector<size_t> kernels;
    for (size_t i = 1; i <= wanted; ++i)
        kernels.push_back(candidates[candidates.size() * i / (wanted + 1)]);
    return kernels;
}

void Bisection::tell(size_t kernel, Verdict verdict) {
    verdicts_.at(kernel) = verdict;
    if (verdict == Verdict::kUnclear || kernel <= older_ || kernel >= newer_) return;
    (verdict == oldest_ ? older_ : newer_) = kernel;
}

std::vector<size_t> Bisection::unclear() const {
    std::vector<size_t> kernels;
    for (size_t i = older_ + 1; i < newer_; ++i)
        if (verdicts_[i]) kernels.push_back(i);
    return kernels;
}

unsigned Bisection::steps() const {
    return static_cast<unsigned>(std::bit_width(left()));
}

std::vector<size_t> Bisection::against() const {
    std::vector<size_t> kernels;
    for (size_t i = 0; i < verdicts_.size(); ++i) {
        if (!verdicts_[i] || *verdicts_[i] == Verdict::kUnclear) continue;
        const bool as_oldest = *verdicts_[i] == oldest_;
        if ((i < older_ && !as_oldest) || (i > newer_ && as_oldest)) kernels.push_back(i);
    }
    return kernels;
}

std::vector<size_t> Bisection::untried() const {
    std::vector<size_t> kernels;
    for (size_t i = older_ + 1; i < newer_; ++i)
        if (!verdicts_[i]) kernels.push_back(i);
    return kernels;
}

}  // namespace zcrxlab
