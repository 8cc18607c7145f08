// Checks values by themselves, or against files and interfaces of this machine.
#include "cli/values.hpp"

#include <fmt/format.h>
#include <net/if.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "cli/nearest.hpp"
#include "harness/base/number.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNothing = "Its value is empty.";

// Why nothing can be made in `folder`; empty if something can. Tried, since neither the rights of
// root nor a file system that takes no new files can be told from a folder's mode.
std::string refusal_of(const fs::path& folder) {
    std::string probe = (folder / ".zcrxlab-XXXXXX").string();
    if (::mkdtemp(probe.data()) == nullptr) return std::strerror(errno);
    ::rmdir(probe.c_str());
    return {};
}

std::string folder_refusal(const std::string& value) {
    if (value.empty()) return kNothing;
    std::error_code error;
    fs::path there = fs::absolute(value, error);
    while (!fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
    if (!fs::is_directory(there, error))
        return fmt::format("\"{}\" cannot be a folder: {} is a file. Name a folder.", value,
                           there.string());
    const std::string why = refusal_of(there);
    if (why.empty()) return {};
    return fmt::format(
        "\"{}\" cannot be written: nothing can be made in {} ({}). Name a folder "
        "that you may write to.",
        value, there.string(), why);
}

std::string interfaces_for_people() {
    const std::unique_ptr<struct if_nameindex, void (*)(struct if_nameindex*)> all(
        ::if_nameindex(), ::if_freenameindex);
    std::string text;
    for (const auto* one = all.get(); one != nullptr && one->if_index != 0; ++one)
        if (std::strcmp(one->if_name, "lo") != 0)
            text.append(text.empty() ? "" : ", ").append(one->if_name);
    return text.empty() ? "none" : text;
}

}  // namespace

ValueCheck any_text() {
    return [](const std::string& value) { return value.empty() ? kNothing : ""; };
}

ValueCheck any_words() {
    return [](const std::string& /*value*/) { return std::string(); };
}

ValueCheck whole_number(uint64_t least, uint64_t most) {
    return [=](const std::string& value) {
        if (number_from<uint64_t>(value, least, most)) return std::string();
        return fmt::format("\"{}\" is no whole number from {} to {}.", value, least, most);
    };
}

ValueCheck seconds_to_wait() {
    return whole_number(1, kLongest);
}

ValueCheck real_number(double least, double most) {
    return [=](const std::string& value) {
        if (number_from<double>(value, least, most)) return std::string();
        return fmt::format("\"{}\" is no number from {} to {}.", value, least, most);
    };
}

ValueCheck one_of(std::vector<std::string> words) {
    return [words = std::move(words)](const std::string& value) {
        if (std::ranges::find(words, value) != words.end()) return std::string();
        return fmt::format("\"{}\" is none of {}{}", value, fmt::join(words, ", "),
                           did_you_mean(value, words));
    };
}

ValueCheck path_that_is_there() {
    return [](const std::string& value) {
        std::error_code error;
        if (value.empty()) return std::string(kNothing);
        if (fs::exists(value, error)) return std::string();
        return fmt::format("There is no file or folder \"{}\".", value);
    };
}

ValueCheck folder_to_write() {
    return folder_refusal;
}

ValueCheck file_to_write() {
    return [](const std::string& value) {
        std::error_code error;
        if (value.empty()) return std::string(kNothing);
        if (fs::is_directory(value, error))
            return fmt::format("\"{}\" is a folder. Name a file.", value);
        return folder_refusal(fs::absolute(value, error).parent_path().string());
    };
}

ValueCheck path_to_write() {
    return [](const std::string& value) {
        std::error_code error;
        return fs::is_directory(value, error) ? folder_refusal(value) : file_to_write()(value);
    };
}

ValueCheck interface_of_this_machine() {
    return [](const std::string& value) {
        if (::if_nametoindex(value.c_str()) != 0) return std::string();
        return fmt::format("There is no interface \"{}\" here; there are {}.", value,
                           interfaces_for_people());
    };
}

}  // namespace zcrxlab
