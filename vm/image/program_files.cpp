// Asks a program's loader for its libraries, and trims ELF files to what is loaded.
#include "vm/image/program_files.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <sstream>

#include "harness/base/exit_code.hpp"
#include "harness/base/fd.hpp"
#include "harness/base/file.hpp"
#include "harness/base/pipe.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

std::optional<Elf64_Ehdr> program_header_table(std::string_view elf) {
    Elf64_Ehdr header;
    if (elf.size() < sizeof(header)) return std::nullopt;
    std::memcpy(&header, elf.data(), sizeof(header));
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > elf.size() ||
        (elf.size() - header.e_phoff) / sizeof(Elf64_Phdr) < header.e_phnum)
        return std::nullopt;
    return header;
}

Elf64_Phdr segment(std::string_view elf, const Elf64_Ehdr& header, size_t index) {
    Elf64_Phdr result;
    std::memcpy(&result, elf.data() + header.e_phoff + index * sizeof(result), sizeof(result));
    return result;
}

// What `loader --list program` prints, and its exit status.
Result<std::pair<std::string, int>> list_output(const std::string& loader,
                                                const std::string& program) {
    Result<Pipe> pipe = Pipe::create();
    if (!pipe) return pipe.error();
    const pid_t pid = ::fork();
    if (pid < 0) return error_from_errno("fork");
    if (pid == 0) {
        ::dup2(pipe->writing.get(), STDOUT_FILENO);
        ::dup2(pipe->writing.get(), STDERR_FILENO);
        ::execl(loader.c_str(), loader.c_str(), "--list", program.c_str(), nullptr);
        ::_exit(kExitNotFound);
    }
    pipe->writing.reset();
    std::string output;
    std::array<char, 4096> chunk{};
    for (;;) {
        const ssize_t got = ::read(pipe->reading.get(), chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        output.append(chunk.data(), static_cast<size_t>(got));
    }
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return std::pair(std::move(output), status);
}

}  // namespace

Result<std::string> program_loader(std::string_view elf) {
    const auto header = program_header_table(elf);
    if (!header) return Error{EINVAL, "This is not an x86-64 program."};
    for (size_t i = 0; i < header->e_phnum; ++i) {
        const Elf64_Phdr part = segment(elf, *header, i);
        if (part.p_type != PT_INTERP) continue;
        if (part.p_offset > elf.size() || elf.size() - part.p_offset < part.p_filesz)
            return Error{EINVAL, "The program's loader lies outside its file."};
        const std::string_view path = elf.substr(part.p_offset, part.p_filesz);
        return std::string(path.substr(0, path.find('\0')));
    }
    return std::string();
}

Result<std::vector<fs::path>> program_libraries(const fs::path& program) {
    const Result<std::string> elf = read_file(program);
    if (!elf) return elf.error();
    const Result<std::string> loader = program_loader(*elf);
    if (!loader) return Error{EINVAL, program.string() + ": " + loader.error().sentence};
    std::vector<fs::path> libraries;
    if (loader->empty()) return libraries;
    // Resolved, because /proc/self means another process to the loader.
    std::error_code error;
    const fs::path resolved = fs::canonical(program, error);
    if (error) return error_from_errno("resolve " + program.string(), error.value());
    auto listed = list_output(*loader, resolved.string());
    if (!listed) return listed.error();
    // "	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x...)" or "	/lib64/ld...
    // (0x...)".
    std::istringstream lines(listed->first);
    for (std::string line; std::getline(lines, line);) {
        const size_t arrow = line.find(" => ");
        if (line.find("not found") != std::string::npos)
            return Error{
                ENOENT, program.string() + " needs a shared library that is missing:" + line + "."};
        const size_t start = arrow != std::string::npos ? arrow + 4 : line.find('/');
        const size_t end = line.rfind(" (0x");
        if (start == std::string::npos || end == std::string::npos || end <= start) continue;
        libraries.emplace_back(line.substr(start, end - start));
    }
    if (listed->second != 0)
        return Error{ENOENT, "The shared libraries of " + program.string() +
                                 " cannot be found: " + listed->first};
    if (std::find(libraries.begin(), libraries.end(), fs::path(*loader)) == libraries.end())
        libraries.emplace_back(*loader);
    return libraries;
}

std::string without_debug_information(std::string elf) {
    const auto header = program_header_table(elf);
    if (!header || header->e_phnum == 0) return elf;
    uint64_t end = header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr);
    for (size_t i = 0; i < header->e_phnum; ++i) {
        const Elf64_Phdr part = segment(elf, *header, i);
        if (part.p_filesz > elf.size() || part.p_offset > elf.size() - part.p_filesz) return elf;
        end = std::max(end, part.p_offset + part.p_filesz);
    }
    // Sections follow the segments; a header without a section table is valid.
    Elf64_Ehdr trimmed = *header;
    trimmed.e_shoff = 0;
    trimmed.e_shnum = 0;
    trimmed.e_shstrndx = SHN_UNDEF;
    elf.resize(end);
    std::memcpy(elf.data(), &trimmed, sizeof(trimmed));
    return elf;
}

}  // namespace zcrxlab
