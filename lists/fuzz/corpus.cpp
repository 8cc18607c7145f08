// Corpus: reads and writes the files of its folder.
#include "lists/fuzz/corpus.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "lists/runs/fingerprint.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kSuffix = ".actions";

}  // namespace

Result<Corpus> Corpus::open(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        return Error{error.value(), "Cannot make the folder " + folder.string() +
                                        "; name another one with --corpus."};
    Corpus corpus;
    corpus.folder_ = folder;
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == kSuffix) paths.push_back(entry.path());
    if (error) return Error{error.value(), "Cannot read the folder " + folder.string() + "."};
    std::ranges::sort(paths);
    for (const fs::path& path : paths) {
        std::ifstream file(path, std::ios::binary);
        const Result<ActionList> list =
            actions_from_text(std::string{std::istreambuf_iterator<char>(file), {}});
        if (!list) return Error{EINVAL, path.string() + ": " + list.error().sentence};
        corpus.remember(*list);
    }
    return corpus;
}

void Corpus::remember(const ActionList& list) {
    lists_.push_back(list);
    if (list.comments.empty()) return;
    if (Origin origin = origin_from_text(list.comments.front()); !origin.empty())
        origins_.push_back(std::move(origin));
}

Result<void> Corpus::keep(const ActionList& list) {
    if (folder_.empty()) return {};
    const std::string text = to_text(list);
    const fs::path path = folder_ / (folder_name(text) + kSuffix);
    // Whoever reads the folder meanwhile sees a whole list.
    const fs::path unfinished = path.string() + ".part";
    {
        std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
        file << text << std::flush;
        if (!file) return error_from_errno("write " + unfinished.string(), errno);
    }
    std::error_code error;
    fs::rename(unfinished, path, error);
    if (error) return error_from_errno("write " + path.string(), error.value());
    remember(list);
    return {};
}

}  // namespace zcrxlab
