// Finds kernel modules, reads their .modinfo, and sorts them by dependency.
#include "vm/image/modules.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

// "virtio-net.ko.xz" and "virtio_net" name the same module.
std::string module_name(std::string_view file) {
    std::string name(file.substr(0, file.find(".ko")));
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

std::vector<std::string> split_commas(std::string_view list) {
    std::vector<std::string> parts;
    while (!list.empty()) {
        const size_t comma = list.find(',');
        if (comma != 0) parts.push_back(module_name(list.substr(0, comma)));
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    }
    return parts;
}

template <typename T>
std::optional<T> read_at(std::string_view bytes, uint64_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

std::optional<std::string_view> slice(std::string_view bytes, uint64_t offset, uint64_t size) {
    if (offset > bytes.size() || bytes.size() - offset < size) return std::nullopt;
    return bytes.substr(offset, size);
}

// The content of the section called `wanted`.
std::optional<std::string_view> elf_section(std::string_view elf, std::string_view wanted) {
    const auto header = read_at<Elf64_Ehdr>(elf, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > elf.size())
        return std::nullopt;
    const auto section = [&](size_t index) {
        return read_at<Elf64_Shdr>(elf, header->e_shoff + index * sizeof(Elf64_Shdr));
    };
    const auto names_header = section(header->e_shstrndx);
    if (!names_header) return std::nullopt;
    const auto names = slice(elf, names_header->sh_offset, names_header->sh_size);
    if (!names) return std::nullopt;
    for (size_t i = 0; i < header->e_shnum; ++i) {
        const auto candidate = section(i);
        if (!candidate || candidate->sh_name >= names->size()) continue;
        const std::string_view rest = names->substr(candidate->sh_name);
        if (rest.substr(0, rest.find('\0')) == wanted && candidate->sh_type != SHT_NOBITS)
            return slice(elf, candidate->sh_offset, candidate->sh_size);
    }
    return std::nullopt;
}

// Depth-first: a module follows all that it depends on.
struct Sorter {
    const std::map<std::string, fs::path>& files;
    const std::set<std::string>& builtin;
    std::set<std::string> done;
    std::vector<std::string> path;  // from a wanted module to the current one
    std::vector<KernelModule> order;

    std::string path_text() const {
        std::string text;
        for (const std::string& name : path) text += (text.empty() ? "" : " -> ") + name;
        return text;
    }

    Result<void> visit(const std::string& name) {
        if (builtin.count(name) != 0 || done.count(name) != 0) return {};
        const bool circular = std::find(path.begin(), path.end(), name) != path.end();
        path.push_back(name);
        if (circular)
            return Error{ELOOP, "Kernel modules depend on each other: " + path_text() + "."};
        const auto file = files.find(name);
        if (file == files.end())
            return Error{ENOENT, "This kernel has no module " + name +
                                     (path.size() > 1 ? " (needed by " + path_text() + ")" : "") +
                                     "; take another one with --kernel, see \"zcrxlab kernels\"."};
        Result<std::string> bytes = read_decompressed(file->second);
        if (!bytes) return bytes.error();
        const Result<std::string> depends = modinfo_value(*bytes, "depends");
        if (!depends && depends.error().code != ENOENT)
            return Error{EINVAL, file->second.string() + " is no kernel module for x86-64."};
        if (depends) {
            for (const std::string& other : split_commas(*depends))
                if (auto visited = visit(other); !visited) return visited;
        }
        path.pop_back();
        done.insert(name);
        order.push_back({name, std::move(*bytes)});
        return {};
    }
};

}  // namespace

Result<ModuleIndex> ModuleIndex::open(const fs::path& folder) {
    ModuleIndex index;
    if (folder.empty()) {
        index.known_ = false;
        return index;
    }
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder / "kernel", error), end; !error && it != end;
         it.increment(error)) {
        const std::string file = it->path().filename().string();
        const size_t suffix = file.find(".ko");
        if (suffix != std::string::npos && (suffix + 3 == file.size() || file[suffix + 3] == '.'))
            index.files_.emplace(module_name(file), it->path());
    }
    if (error)
        return Error{error.value(), "Cannot list the kernel modules in " + folder.string() + ": " +
                                        error.message() + "."};
    std::ifstream builtin(folder / "modules.builtin");
    for (std::string line; std::getline(builtin, line);)
        index.builtin_.insert(module_name(fs::path(line).filename().string()));
    return index;
}

void ModuleIndex::add(const fs::path& file) {
    files_.insert_or_assign(module_name(file.filename().string()), file);
}

Result<std::string> ModuleIndex::replace(const fs::path& file, const std::string& release) {
    const Result<std::string> bytes = read_decompressed(file);
    if (!bytes) return bytes.error();
    // "7.3.4+deb13-cloud-amd64 SMP preempt mod_unload modversions"
    const Result<std::string> built_for = modinfo_value(*bytes, "vermagic");
    if (!built_for) return Error{EINVAL, file.string() + " is no kernel module for x86-64."};
    const std::string other = built_for->substr(0, built_for->find(' '));
    if (other != release)
        return Error{EINVAL, file.string() + " is built for kernel " + other + ", and this is " +
                                 release + "; type: kernel-config/build-module HEADERS SOURCES " +
                                 file.string()};
    add(file);
    return module_name(file.filename().string());
}

bool ModuleIndex::has(std::string_view name) const {
    const std::string normal = module_name(name);
    return !known_ || files_.count(normal) != 0 || builtin_.count(normal) != 0;
}

Result<std::vector<KernelModule>> ModuleIndex::in_order(
    const std::vector<std::string>& wanted) const {
    if (!known_) return std::vector<KernelModule>{};
    Sorter sorter{files_, builtin_, {}, {}, {}};
    for (const std::string& name : wanted)
        if (auto visited = sorter.visit(module_name(name)); !visited) return visited.error();
    return std::move(sorter.order);
}

Result<std::string> read_decompressed(const fs::path& file) {
    const std::unique_ptr<archive, decltype(&archive_read_free)> reader(archive_read_new(),
                                                                        archive_read_free);
    archive_read_support_filter_all(reader.get());
    archive_read_support_format_raw(reader.get());
    archive_read_support_format_empty(reader.get());
    const auto failed = [&] {
        const char* why = archive_error_string(reader.get());
        return Error{EIO, "Cannot read " + file.string() + ": " +
                              (why != nullptr ? why : "unknown compression") + "."};
    };
    archive_entry* entry = nullptr;
    std::string bytes;
    if (archive_read_open_filename(reader.get(), file.c_str(), 64 * 1024) != ARCHIVE_OK)
        return failed();
    const int header = archive_read_next_header(reader.get(), &entry);
    if (header == ARCHIVE_EOF) return bytes;
    if (header != ARCHIVE_OK) return failed();
    constexpr size_t kStep = 256 * 1024;
    for (;;) {
        const size_t used = bytes.size();
        bytes.resize(used + kStep);
        const la_ssize_t got = archive_read_data(reader.get(), bytes.data() + used, kStep);
        if (got < 0) return failed();
        bytes.resize(used + static_cast<size_t>(got));
        if (got == 0) return bytes;
    }
}

Result<std::string> modinfo_value(std::string_view elf, std::string_view key) {
    const auto section = elf_section(elf, ".modinfo");
    if (!section) return Error{EINVAL, "This file has no .modinfo section."};
    std::string_view rest = *section;
    while (!rest.empty()) {
        const size_t end = rest.find('\0');
        const std::string_view line = rest.substr(0, end);
        if (line.size() > key.size() && line.substr(0, key.size()) == key &&
            line[key.size()] == '=')
            return std::string(line.substr(key.size() + 1));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return Error{ENOENT, "The module does not say \"" + std::string(key) + "\"."};
}

}  // namespace zcrxlab
