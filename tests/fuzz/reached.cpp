// Linked into every fuzz target: `TARGET --reaches SOURCE SEEDS...` runs the seeds once and
// compares what they reach with what the target's source says that they must:
//
//     // reaches nic/wire/headers.cpp: h.l4 = L4::kTcp;
//     // reaches 90 % of nic/models/gve/gve_tx.cpp
//
// The first is a line of a file, by a piece of its text that no other line there has; the second is
// a share of the lines at which something begins: a function, a branch, what follows one. A check
// of the sanitizers is such a branch, too, which nothing right takes, so that 100 % are never
// reached. SEEDS are files and folders. Exit code 0: all reached; 1: not, with a sentence for each
// line; 2: a statement that cannot be.
//
// `TARGET --shows FILE SEEDS...` prints the lines of a file of ours at which code begins, with a
// '+' where the seeds reach it: to write statements with.
//
// The compiler counts each piece of code that it cannot do without (SanitizerCoverage's counters
// and table of addresses), llvm-symbolizer says which line an address is of. A counter has 8 bits:
// what one input runs exactly 256 times (or 512 ...) is not seen.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

// https://clang.llvm.org/docs/SanitizerCoverage.html: a counter and an entry of the table for each
// piece of code, in the same order. The linker names where they begin and end.
struct TableEntry {
    uintptr_t address;
    uintptr_t flags;
};
extern "C" {
extern uint8_t __start___sancov_cntrs[], __stop___sancov_cntrs[];
extern const TableEntry __start___sancov_pcs[], __stop___sancov_pcs[];
void __sanitizer_symbolize_pc(void* address, const char* format, char* out, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
}

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = ZCRXLAB_SOURCE_DIR;
constexpr std::string_view kStatement = "// reaches ";

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        std::fprintf(stderr, "%s cannot be read.\n", file.c_str());
        std::exit(2);
    }
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<std::string> lines_of(const fs::path& file) {
    std::vector<std::string> lines;
    std::istringstream in(text_of(file));
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

// The lines of one file of ours at which code begins, and whether that was run.
using Lines = std::map<unsigned, bool>;

// Runs inputs, and remembers which counters moved.
class Runs {
  public:
    Runs() : moved_(counters().size()) {}

    void run(const fs::path& seed) {
        const std::string text = text_of(seed);
        std::fill(counters().begin(), counters().end(), uint8_t{0});
        // A copy of exactly this size, so that the sanitizer sees every byte beyond it.
        const std::vector<uint8_t> input(text.begin(), text.end());
        LLVMFuzzerTestOneInput(input.data(), input.size());
        for (size_t i = 0; i < moved_.size(); ++i) moved_[i] = moved_[i] || counters()[i] != 0;
    }

    std::map<std::string, Lines> lines() const {
        std::map<std::string, Lines> found;
        // The symbolizer complains of every name that is too long for it.
        const int said_to = ::dup(STDERR_FILENO);
        const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        ::dup2(nowhere, STDERR_FILENO);
        for (size_t i = 0; i < moved_.size(); ++i) {
            // A symbolizer takes addresses for those behind a call.
            auto* address = reinterpret_cast<void*>(__start___sancov_pcs[i].address + 1);
            char text[4096] = {};
            __sanitizer_symbolize_pc(address, "%s:%l", text, sizeof(text));
            const std::string_view place = text;
            const size_t colon = place.rfind(':');
            const std::string root = kRoot.string() + "/";
            if (colon == std::string_view::npos || !place.starts_with(root)) continue;
            const int line = std::atoi(text + colon + 1);
            if (line <= 0) continue;
            const std::string file(place.substr(root.size(), colon - root.size()));
            bool& run = found[file][static_cast<unsigned>(line)];
            run = run || moved_[i];
        }
        ::dup2(said_to, STDERR_FILENO);
        ::close(said_to);
        ::close(nowhere);
        return found;
    }

  private:
    static std::span<uint8_t> counters() { return {__start___sancov_cntrs, __stop___sancov_cntrs}; }

    std::vector<bool> moved_;
};

[[noreturn]] void cannot_be(const std::string& statement, const std::string& why) {
    std::fprintf(stderr, "'%s': %s\n", statement.c_str(), why.c_str());
    std::exit(2);
}

// "FILE: TEXT"
bool line_reached(const std::string& statement, const std::map<std::string, Lines>& found) {
    const size_t colon = statement.find(": ");
    if (colon == std::string::npos)
        cannot_be(statement, "say 'FILE: TEXT OF A LINE' or 'N % of FILE'.");
    const std::string file = statement.substr(0, colon);
    const std::string text = statement.substr(colon + 2);
    std::vector<unsigned> at;
    const std::vector<std::string> lines = lines_of(kRoot / file);
    for (size_t i = 0; i < lines.size(); ++i)
        if (lines[i].find(text) != std::string::npos) at.push_back(static_cast<unsigned>(i + 1));
    if (at.size() != 1)
        cannot_be(statement, std::to_string(at.size()) + " lines have this text; one must.");
    const auto in_file = found.find(file);
    if (in_file == found.end()) cannot_be(statement, "nothing of this file is in the target.");
    const auto point = in_file->second.find(at[0]);
    if (point == in_file->second.end()) {
        const auto next = in_file->second.lower_bound(at[0]);
        cannot_be(statement, "no code begins at line " + std::to_string(at[0]) +
                                 (next == in_file->second.end()
                                      ? "."
                                      : "; at line " + std::to_string(next->first) +
                                            " some does: " + lines[next->first - 1]));
    }
    if (!point->second)
        std::printf("%s:%u is not reached: %s\n", file.c_str(), at[0], text.c_str());
    return point->second;
}

// "N % of FILE"
bool share_reached(const std::string& statement, size_t percent_sign,
                   const std::map<std::string, Lines>& found) {
    const int least = std::atoi(statement.c_str());
    const std::string file = statement.substr(percent_sign + std::string_view(" % of ").size());
    const auto in_file = found.find(file);
    if (in_file == found.end()) cannot_be(statement, "nothing of this file is in the target.");
    const Lines& lines = in_file->second;
    const auto run =
        std::count_if(lines.begin(), lines.end(), [](const auto& line) { return line.second; });
    const auto percent = static_cast<int>(100 * run / static_cast<long>(lines.size()));
    if (percent >= least) return true;
    std::printf("%d %% of %s are reached, %d must be; not the lines", percent, file.c_str(), least);
    for (const auto& [line, was_run] : lines)
        if (!was_run) std::printf(" %u", line);
    std::printf("\n");
    return false;
}

int show(const std::string& file, const std::map<std::string, Lines>& found) {
    const auto in_file = found.find(file);
    if (in_file == found.end()) cannot_be(file, "nothing of this file is in the target.");
    const std::vector<std::string> lines = lines_of(kRoot / file);
    for (const auto& [line, run] : in_file->second)
        std::printf("%c %4u %s\n", run ? '+' : ' ', line, lines.at(line - 1).c_str());
    return 0;
}

int judge(const fs::path& source, size_t seeds, const std::map<std::string, Lines>& found) {
    size_t statements = 0, missed = 0;
    for (const std::string& line : lines_of(source)) {
        if (!line.starts_with(kStatement)) continue;
        const std::string statement = line.substr(kStatement.size());
        const size_t percent = statement.find(" % of ");
        const bool reached = percent != std::string::npos ? share_reached(statement, percent, found)
                                                          : line_reached(statement, found);
        ++statements;
        missed += reached ? 0 : 1;
    }
    std::printf("%zu of %zu statements hold with %zu seeds\n", statements - missed, statements,
                seeds);
    return missed == 0 && statements > 0 ? 0 : 1;
}

}  // namespace

// libFuzzer calls this before anything else.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    const std::vector<std::string> arguments(*argv + 1, *argv + *argc);
    const bool judges = !arguments.empty() && arguments[0] == "--reaches";
    const bool shows = !arguments.empty() && arguments[0] == "--shows";
    if (arguments.size() < 2 || (!judges && !shows)) return 0;
    std::set<fs::path> seeds;
    for (size_t i = 2; i < arguments.size(); ++i) {
        if (!fs::is_directory(arguments[i])) {
            seeds.insert(arguments[i]);
            continue;
        }
        for (const auto& entry : fs::recursive_directory_iterator(arguments[i]))
            if (entry.is_regular_file()) seeds.insert(entry.path());
    }
    Runs runs;
    for (const fs::path& seed : seeds) runs.run(seed);
    const std::map<std::string, Lines> found = runs.lines();
    if (found.empty()) {
        std::fprintf(stderr, "No line is known. Install llvm-symbolizer (package llvm).\n");
        std::_Exit(2);
    }
    const int status =
        judges ? judge(arguments[1], seeds.size(), found) : show(arguments[1], found);
    std::fflush(stdout);
    std::_Exit(status);
}
