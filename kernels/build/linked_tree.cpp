// Makes hard links and copies, and calls patch(1).
#include "kernels/build/linked_tree.hpp"

#include <fstream>

#include "harness/base/program.hpp"
#include "kernels/packages/cache.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

Result<void> link_or_copy(const fs::path& from, const fs::path& to) {
    std::error_code code;
    fs::create_hard_link(from, to, code);
    if (!code) return {};
    fs::copy_file(from, to, code);
    if (code) return error_from_errno("copy " + from.string(), code.value());
    // A build looks at the times.
    fs::last_write_time(to, fs::last_write_time(from, code), code);
    return {};
}

Result<void> link_all(const fs::path& tree, const fs::path& twin) {
    std::error_code code;
    for (auto it = fs::recursive_directory_iterator(tree, code);
         !code && it != fs::recursive_directory_iterator(); it.increment(code)) {
        const fs::path to = twin / it->path().lexically_relative(tree);
        std::error_code made;
        if (it->is_symlink()) {
            fs::copy_symlink(it->path(), to, made);
        } else if (it->is_directory()) {
            if (it.depth() == 0 && it->path().filename() == ".git")
                it.disable_recursion_pending();
            else
                fs::create_directory(to, made);
        } else if (it->is_regular_file() && it->path().filename() != ".git") {
            if (auto linked = link_or_copy(it->path(), to); !linked) return linked;
        }
        if (made) return error_from_errno("make " + to.string(), made.value());
    }
    if (code) return error_from_errno("read " + tree.string(), code.value());
    return {};
}

}  // namespace

LinkedTree::LinkedTree(fs::path tree, fs::path twin)
    : tree_(std::move(tree)), twin_(std::move(twin)) {}

fs::path LinkedTree::list_of_changed() const {
    return twin_.string() + ".changed";
}

Result<LinkedTree> LinkedTree::create(const fs::path& tree, const fs::path& twin) {
    LinkedTree linked(tree, twin);
    std::error_code code;
    fs::remove_all(twin, code);
    fs::create_directories(twin, code);
    if (code) return error_from_errno("make " + twin.string(), code.value());
    if (auto made = link_all(tree, twin); !made) return made.error();
    std::ifstream list(linked.list_of_changed());
    for (std::string source; std::getline(list, source);) {
        if (!fs::is_regular_file(tree / source, code)) continue;
        if (auto copied = linked.copy(source); !copied) return copied.error();
        linked.changed_.insert(source);
    }
    return linked;
}

Result<void> LinkedTree::copy(const std::string& source) const {
    const fs::path to = twin_ / source;
    const fs::path next = to.string() + ".new";
    std::error_code code;
    fs::copy_file(tree_ / source, next, fs::copy_options::overwrite_existing, code);
    if (!code) fs::rename(next, to, code);
    if (code) return error_from_errno("copy " + (tree_ / source).string(), code.value());
    return {};
}

void LinkedTree::remember(const std::string& source) {
    if (changed_.insert(source).second)
        std::ofstream(list_of_changed(), std::ios::app) << source << "\n";
}

Result<void> LinkedTree::replace(const std::string& source, const std::string& text) {
    std::error_code code;
    if (!fs::is_regular_file(tree_ / source, code))
        return Error{EINVAL, "This kernel does not have " + source + "."};
    remember(source);
    // By another file, as the one that is there may be a link to the tree's.
    const fs::path next = (twin_ / source).string() + ".new";
    if (auto written = write_whole(next, text); !written) return written;
    fs::rename(next, twin_ / source, code);
    if (code) return error_from_errno("rename " + next.string(), code.value());
    return {};
}

Result<void> LinkedTree::apply(const std::vector<SourcePatch>& patches) {
    std::error_code code;
    for (const SourcePatch& patch : patches)
        for (const std::string& source : patch.sources)
            if (!fs::is_regular_file(tree_ / source, code))
                return Error{EINVAL, patch.file.string() + " changes " + source +
                                         ", which this kernel does not have."};
    for (const SourcePatch& patch : patches) {
        for (const std::string& source : patch.sources) remember(source);
        if (auto copied = restore(patch); !copied) return copied;
    }
    for (const SourcePatch& patch : patches) {
        const auto run = run_program({"patch", "--batch", "--forward", "--fuzz=0", "-p1", "-d",
                                      twin_.string(), "-r", "-", "-i", patch.file.string()});
        if (!run) return run.error();
        if (run->exit_code == 0) continue;
        for (const SourcePatch& each : patches)
            if (auto back = restore(each); !back) return back;
        return Error{EINVAL, patch.file.string() + " does not fit this kernel:\n" +
                                 last_lines(run->output, 3)};
    }
    return {};
}

Result<void> LinkedTree::restore(const SourcePatch& patch) {
    for (const std::string& source : patch.sources)
        if (auto copied = copy(source); !copied) return copied;
    return {};
}

}  // namespace zcrxlab
