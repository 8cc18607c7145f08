// Reads the kernel's tables of TCP sockets.
#include "vm/guest/init/listeners.hpp"

#include <algorithm>
#include <string>

#include "harness/base/file.hpp"
#include "harness/base/number.hpp"
#include "vm/guest/init/system.hpp"

namespace zcrxlab {

namespace {

constexpr std::string_view kListening = "0A";  // TCP_LISTEN

// The word at `number`, counted from 0.
std::string_view word_of(std::string_view line, size_t number) {
    for (;; --number) {
        const size_t start = std::min(line.find_first_not_of(' '), line.size());
        line.remove_prefix(start);
        const std::string_view word = line.substr(0, line.find(' '));
        if (number == 0) return word;
        line.remove_prefix(word.size());
        if (line.empty()) return {};
    }
}

}  // namespace

std::set<uint16_t> listening_ports(std::string_view text) {
    // "   0: 0100007F:1F90 00000000:0000 0A ..."
    std::set<uint16_t> ports;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::string_view local = word_of(line, 1);
        const size_t colon = local.find(':');
        if (colon == std::string_view::npos || word_of(line, 3) != kListening) continue;
        if (const auto port = number_from_hex<uint16_t>(local.substr(colon + 1)))
            ports.insert(*port);
    }
    return ports;
}

bool listens(pid_t process, const std::vector<uint16_t>& ports) {
    const std::string folder = "/proc/" + std::to_string(process) + "/net/";
    for (const char* table : {"tcp", "tcp6"}) {
        const auto text = read_file(folder + table);
        if (!text) continue;
        const std::set<uint16_t> there = listening_ports(*text);
        if (ports.empty() ? !there.empty()
                          : std::any_of(ports.begin(), ports.end(),
                                        [&](uint16_t port) { return there.count(port) != 0; }))
            return true;
    }
    return false;
}

}  // namespace zcrxlab
