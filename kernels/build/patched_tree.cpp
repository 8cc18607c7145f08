// Links a tree, patches the twin, and puts back the times of what did not change by that.
#include "kernels/build/patched_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/base/file.hpp"
#include "kernels/build/fragment.hpp"
#include "kernels/build/kernel_build.hpp"
#include "kernels/build/linked_tree.hpp"
#include "kernels/standard.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPatchLimit = size_t{4} << 20;
constexpr size_t kFragmentLimit = size_t{4} << 20;
constexpr size_t kSourceLimit = size_t{64} << 20;

struct Source {
    std::string text;
    fs::file_time_type time;
};

Result<std::vector<fs::path>> patch_files(const fs::path& fragment, const std::string& folder) {
    std::vector<fs::path> files;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(fragment.parent_path() / folder, code))
        if (entry.path().extension() == ".patch") files.push_back(entry.path());
    if (files.empty())
        return Error{ENOENT,
                     fmt::format("{} asks for the patches in {}, and there are none; put "
                                 "one there, or take that line away.",
                                 fragment.string(), (fragment.parent_path() / folder).string())};
    std::ranges::sort(files);
    return files;
}

std::map<fs::path, Source> sources_in(const fs::path& twin,
                                      const std::vector<SourcePatch>& patches) {
    std::map<fs::path, Source> sources;
    for (const SourcePatch& patch : patches)
        for (const std::string& name : patch.sources) {
            std::error_code code;
            auto text = read_file(twin / name, kSourceLimit);
            const auto time = fs::last_write_time(twin / name, code);
            if (text && !code) sources[twin / name] = {std::move(*text), time};
        }
    return sources;
}

}  // namespace

Result<std::vector<SourcePatch>> patches_of(const std::vector<fs::path>& fragments) {
    std::vector<SourcePatch> patches;
    for (const fs::path& fragment : fragments) {
        const auto settings = read_file(fragment, kFragmentLimit);
        if (!settings) return settings.error();
        const std::string folder = patch_folder(*settings);
        if (folder.empty()) continue;
        const auto files = patch_files(fragment, folder);
        if (!files) return files.error();
        for (const fs::path& file : *files) {
            const auto text = read_file(file, kPatchLimit);
            if (!text) return text.error();
            auto patch = parse_source_patch(*text, file);
            if (!patch) return patch.error();
            patches.push_back(std::move(*patch));
        }
    }
    return patches;
}

Result<fs::path> patched_tree(const fs::path& tree, const std::vector<fs::path>& fragments,
                              const fs::path& twin) {
    const auto patches = patches_of(fragments);
    if (!patches) return patches.error();
    if (patches->empty()) return tree;
    if (auto good = check_source_tree(tree); !good) return good.error();
    const auto before = sources_in(twin, *patches);
    auto linked = LinkedTree::create(tree, twin);
    if (!linked) return linked.error();
    if (auto applied = linked->apply(*patches); !applied)
        return Error{applied.error().code,
                     fmt::format("{}\nThe patches of kernel-config/ are made for Linux {}. Type "
                                 "--source {}, or leave out the fragment that names this one.",
                                 applied.error().sentence, standard::kKernelSeries,
                                 standard::kKernelSeries)};
    for (const auto& [source, was] : before) {
        const auto text = read_file(source, kSourceLimit);
        std::error_code code;
        if (text && *text == was.text) fs::last_write_time(source, was.time, code);
    }
    return twin;
}

}  // namespace zcrxlab
