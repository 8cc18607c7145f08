// Decoding profiles, and running gcov on them.
#include "kernels/coverage/profile.hpp"

#include <stdlib.h>

#include <algorithm>

#include "harness/base/defer.hpp"
#include "harness/base/file.hpp"
#include "harness/base/hex.hpp"
#include "harness/base/json.hpp"
#include "harness/base/program.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr size_t kComplaint = 400;

std::string cut(const std::string& text, size_t most) {
    return text.size() <= most ? text : text.substr(0, most) + " ...";
}

// The guest's path starts with the folder that the kernel was built in, wherever that was then.
fs::path notes_of(const std::string& object, const fs::path& build) {
    const fs::path path = fs::path(object).replace_extension(".gcno");
    std::error_code code;
    for (auto part = path.begin(); part != path.end(); ++part) {
        fs::path rest;
        for (auto later = part; later != path.end(); ++later) rest /= *later;
        if (fs::is_regular_file(build / rest, code)) return build / rest;
    }
    return {};
}

}  // namespace

Result<Profile> parse_profile(std::string_view line) {
    const auto json = parse_json_object(line);
    const auto object = json ? get<std::string>(*json, "object") : std::nullopt;
    const auto hex = json ? get<std::string>(*json, "hex") : std::nullopt;
    if (!object || !hex) return Error{EPROTO, "A line of the profile is none."};
    Profile profile;
    profile.object = *object;
    const fs::path path(profile.object);
    if (path.is_absolute() || path.extension() != ".gcda" ||
        std::find(path.begin(), path.end(), "..") != path.end())
        return Error{EPROTO, "\"" + profile.object + "\" is no name of a profile."};
    auto bytes = bytes_from_hex(*hex);
    if (!bytes) return Error{EPROTO, "A profile is not in pairs of hexadecimal digits."};
    profile.bytes = std::move(*bytes);
    return profile;
}

Result<void> add_profile(Coverage& coverage, const Profile& profile, const fs::path& build,
                         const std::string& tree) {
    const fs::path notes = notes_of(profile.object, build);
    if (notes.empty())
        return Error{ENOENT, "The kernel in " + build.string() + " was not built with " +
                                 profile.object + "; was it built again since the run?"};
    std::string pattern = (fs::temp_directory_path() / "zcrxlab-gcov-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) return error_from_errno("make " + pattern);
    const fs::path folder = pattern;
    std::error_code code;
    const Defer remove([&] { fs::remove_all(folder, code); });
    fs::copy_file(notes, folder / "object.gcno", code);
    if (code) return error_from_errno("copy " + notes.string(), code.value());
    if (auto written = write_file(folder / "object.gcda", profile.bytes); !written) return written;
    ProgramOptions options;
    options.folder = folder;
    const auto run = run_program(
        {"gcov", "--json-format", "--stdout", "--branch-probabilities", "object.gcda"}, options);
    if (!run) return run.error();
    // It also complains without failing, of notes from another build for example.
    if (run->exit_code != 0 || !run->output.starts_with('{'))
        return Error{EIO,
                     "gcov cannot read " + profile.object + ":\n" + cut(run->output, kComplaint)};
    return add_gcov(coverage, run->output, tree);
}

}  // namespace zcrxlab
