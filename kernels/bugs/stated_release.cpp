// Reading releases: kernel.org's and Debian's are known, all others are not guessed.
#include "kernels/bugs/stated_release.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "harness/base/number.hpp"

namespace zcrxlab {

namespace {

constexpr size_t kNumbersOfStable = 3;  // 7.3.4

// Takes "-", "+" or another word off the front.
bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

// "-amd64", "-cloud-amd64", "-rt-arm64": how Debian's and our names of kernels end.
bool is_flavour(std::string_view text) {
    constexpr std::array<std::string_view, 3> kKinds{"-cloud", "-rt", "-unsigned"};
    for (const std::string_view kind : kKinds) take(text, kind);
    return text == "-amd64" || text == "-arm64";
}

// "+deb13-cloud-amd64", "+deb14+1-amd64".
bool is_debian_suffix(std::string_view text) {
    if (!take(text, "+deb") || !take_number<unsigned>(text)) return false;
    if (take(text, "+") && !take_number<unsigned>(text)) return false;
    return is_flavour(text);
}

// "-1", "-1~bpo13+1", "-1~exp1", "-1+deb13u2": behind the version of a package.
bool is_debian_revision(std::string_view text) {
    if (!take(text, "-") || !take_number<unsigned>(text)) return false;
    if (take(text, "~exp")) return take_number<unsigned>(text) && text.empty();
    if (take(text, "~bpo"))
        return take_number<unsigned>(text) && take(text, "+") && take_number<unsigned>(text) &&
               text.empty();
    if (take(text, "+deb"))
        return take_number<unsigned>(text) && take(text, "u") && take_number<unsigned>(text) &&
               text.empty();
    return text.empty();
}

// Of "#1 SMP PREEMPT_DYNAMIC Debian 6.1.140-1 (2025-05-22)".
std::optional<Version> version_in_banner(std::string_view banner) {
    constexpr std::string_view kWord = " Debian ";
    const size_t at = banner.find(kWord);
    if (at == std::string_view::npos) return std::nullopt;
    std::string_view text = banner.substr(at + kWord.size());
    text = text.substr(0, text.find(' '));
    std::string_view rest;
    const auto version = Version::parse(text, &rest);
    if (version && is_debian_revision(rest)) return version;
    return std::nullopt;
}

}  // namespace

StatedRelease stated_release(std::string_view release, std::string_view banner) {
    std::string_view rest;
    const auto version = Version::parse(release, &rest);
    if (!version || version->numbers.size() < 2)
        return {std::nullopt,
                fmt::format("\"{}\" is no version of a kernel; like this: 7.3.4.", release)};
    if (auto told = version_in_banner(banner)) return {std::move(told)};
    const bool stable = version->numbers.size() <= kNumbersOfStable;
    if (stable &&
        (rest.empty() || is_flavour(rest) || is_debian_suffix(rest) || is_debian_revision(rest)))
        return {version};
    return {std::nullopt,
            fmt::format("Which fixes {} has is its maker's affair; ask for the release that it is "
                        "made of: --kernel {}.",
                        release, version->text())};
}

}  // namespace zcrxlab
