// Finding the mirror in the configuration of the machine's apt, and the archive keyring.
#include "kernels/packages/archive.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <sstream>

#include "harness/base/environment.hpp"
#include "harness/base/file.hpp"
#include "harness/base/program.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 2> kKeyringNames = {
    "usr/share/keyrings/debian-archive-keyring.gpg",
    "usr/share/keyrings/debian-archive-keyring.pgp"};
constexpr const char* kKeyringPlace = "keyring";
constexpr size_t kOsReleaseLimit = 16384;
// Of apt, for what it knows, or for one small package.
constexpr auto kLongestAnswer = std::chrono::minutes(3);

const std::vector<std::string> kRollingSuites = {"stable", "testing", "unstable", "sid"};

std::vector<std::string> split(const std::string& line, char separator) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    std::string field;
    while (std::getline(stream, field, separator)) fields.push_back(field);
    return fields;
}

bool is_side_suite(const std::string& suite) {
    return suite.find('-') != std::string::npos || suite.find('/') != std::string::npos;
}

std::string without_trailing_slash(std::string text) {
    while (text.ends_with('/')) text.pop_back();
    return text;
}

fs::path keyring_below(const fs::path& root) {
    for (const char* name : kKeyringNames) {
        std::error_code code;
        if (fs::is_regular_file(root / name, code)) return root / name;
    }
    return {};
}

Result<std::string> find_mirror() {
    if (const char* named = std::getenv(environment::kMirror); named != nullptr && *named != '\0') {
        if (acceptable_mirror(named)) return without_trailing_slash(named);
        return Error{EINVAL, std::string("ZCRXLAB_MIRROR is \"") + named +
                                 "\", which is no address of a Debian mirror. It looks like "
                                 "this: export ZCRXLAB_MIRROR=http://MIRROR/debian"};
    }
    if (!program_exists("apt-get"))
        return Error{ENOENT,
                     "There is no apt-get here to fetch packages with. Give what is there "
                     "instead: ZCRXLAB_QEMU=/path/to/qemu-system-x86_64 vm/zcrxlab run --kernel "
                     "/path/to/bzImage"};
    ProgramOptions bounded;
    bounded.timeout = kLongestAnswer;
    bounded.stoppable = true;
    const auto targets = run_program(
        {"apt-get", "indextargets", "--format", "$(REPO_URI)|$(RELEASE)|$(ORIGIN)"}, bounded);
    if (!targets) return targets.error();
    if (auto mirror = mirror_of_index_targets(targets->output); !mirror.empty()) return mirror;

    const auto os_release = read_file("/etc/os-release", kOsReleaseLimit);
    const std::string text = os_release ? *os_release : "";
    if (os_release_value(text, "ID") == "debian") {
        const auto uris = run_program({"apt-get", "update", "--print-uris"}, bounded);
        if (!uris) return uris.error();
        const std::string codename = os_release_value(text, "VERSION_CODENAME");
        if (auto mirror = mirror_of_update_uris(uris->output, codename); !mirror.empty())
            return mirror;
    }
    return Error{ENOENT,
                 "This machine's apt is not set to a Debian mirror, and stock kernels come from "
                 "Debian. Name a mirror near you: export ZCRXLAB_MIRROR=http://MIRROR/debian"};
}

Result<fs::path> find_keyring(const Cache& cache) {
    if (auto installed = keyring_below("/"); !installed.empty()) return installed;
    if (auto cached = keyring_below(cache.root() / kKeyringPlace); !cached.empty()) return cached;

    const Error missing{ENOENT,
                        "Debian's archive keys are missing, without which no package can be "
                        "checked. Type: sudo apt-get install debian-archive-keyring"};
    const auto folder = cache.temporary_folder();
    if (!folder) return folder.error();
    ProgramOptions there;
    there.folder = *folder;
    there.timeout = kLongestAnswer;
    there.stoppable = true;
    const auto fetched =
        run_program({"apt-get", "-qq", "-o", "APT::Get::AllowUnauthenticated=false", "download",
                     "debian-archive-keyring"},
                    there);
    if (!fetched || fetched->exit_code != 0) return missing;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(*folder, code)) {
        if (entry.path().extension() != ".deb") continue;
        const fs::path unpacked = *folder / "unpacked";
        const auto unpack =
            run_program({"dpkg-deb", "-x", entry.path().string(), unpacked.string()});
        if (!unpack || unpack->exit_code != 0 || keyring_below(unpacked).empty()) return missing;
        if (const auto placed = cache.place(unpacked, kKeyringPlace); !placed)
            return placed.error();
        return keyring_below(cache.root() / kKeyringPlace);
    }
    return missing;
}

}  // namespace

Result<Archive> find_archive(const Cache& cache) {
    auto mirror = find_mirror();
    if (!mirror) return mirror.error();
    auto keyring = find_keyring(cache);
    if (!keyring) return keyring.error();
    return Archive{*mirror, *keyring};
}

std::string mirror_of_index_targets(const std::string& lines) {
    std::istringstream stream(lines);
    std::string line;
    std::string of_side_suite;
    while (std::getline(stream, line)) {
        const auto fields = split(line, '|');
        if (fields.size() < 3 || fields[2] != "Debian" || !acceptable_mirror(fields[0])) continue;
        const std::string& suite = fields[1];
        // debian-security is another archive with the same origin.
        if (suite.find("security") != std::string::npos ||
            suite.find("/updates") != std::string::npos)
            continue;
        if (!is_side_suite(suite)) return without_trailing_slash(fields[0]);
        if (of_side_suite.empty()) of_side_suite = without_trailing_slash(fields[0]);
    }
    return of_side_suite;
}

std::string mirror_of_update_uris(const std::string& output, const std::string& codename) {
    std::istringstream stream(output);
    std::string line;
    while (std::getline(stream, line)) {
        if (!line.starts_with('\'')) continue;
        const std::string uri = line.substr(1, line.find('\'', 1) - 1);
        const size_t dists = uri.find("/dists/");
        if (dists == std::string::npos || !uri.ends_with("/InRelease")) continue;
        const size_t suite_start = dists + std::string("/dists/").size();
        const std::string suite = uri.substr(suite_start, uri.rfind('/') - suite_start);
        const bool rolling =
            std::find(kRollingSuites.begin(), kRollingSuites.end(), suite) != kRollingSuites.end();
        if (!rolling && (suite.empty() || suite != codename)) continue;
        const std::string mirror = uri.substr(0, dists);
        if (acceptable_mirror(mirror)) return without_trailing_slash(mirror);
    }
    return {};
}

std::string os_release_value(const std::string& text, const std::string& key) {
    std::istringstream stream(text);
    std::string line;
    while (std::getline(stream, line)) {
        if (!line.starts_with(key + "=")) continue;
        std::string value = line.substr(key.size() + 1);
        std::erase(value, '"');
        std::erase(value, '\'');
        return value;
    }
    return {};
}

bool acceptable_mirror(const std::string& mirror) {
    const bool has_method = mirror.find(":/") != std::string::npos;
    const bool plain = std::all_of(mirror.begin(), mirror.end(), [](unsigned char c) {
        return c > ' ' && c < 0x7f && c != '[' && c != ']' && c != '#' && c != '"' && c != '\'';
    });
    return has_method && plain && mirror.front() != ':';
}

}  // namespace zcrxlab
