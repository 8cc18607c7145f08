// Reads what dpdk-testpmd prints. Its words are those of DPDK's app/test-pmd.
#include "tests/acceptance/dpdk/testpmd_output.hpp"

#include <charconv>
#include <optional>

#include "harness/base/lines.hpp"

namespace zcrxlab::dpdk {
namespace {

// The number at the start of `text`, behind blanks; hexadecimal behind 0x.
std::optional<uint64_t> number(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    int base = 10;
    if (text.starts_with("0x")) {
        base = 16;
        text.remove_prefix(2);
    }
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{}) return std::nullopt;
    return value;
}

std::optional<uint64_t> number_behind(std::string_view text, std::string_view words) {
    const size_t at = text.find(words);
    if (at == std::string_view::npos) return std::nullopt;
    return number(text.substr(at + words.size()));
}

}  // namespace

std::map<std::string, uint64_t> sums(std::string_view text, const std::vector<std::string>& names) {
    std::map<std::string, uint64_t> found;
    for (const std::string& name : names) {
        const std::string words = name + ":";
        for (size_t at = text.find(words); at != std::string_view::npos;
             at = text.find(words, at + 1)) {
            if (const auto value = number(text.substr(at + words.size()))) found[name] += *value;
        }
    }
    return found;
}

std::vector<uint64_t> received_by_streams(std::string_view text) {
    std::vector<uint64_t> received;
    bool stream = false;
    for (const std::string_view line : lines_of(text)) {
        if (line.find("Forward Stats for RX Port=") != std::string_view::npos) {
            stream = true;
        } else if (const auto count = number_behind(line, "RX-packets:"); stream && count) {
            received.push_back(*count);
            stream = false;
        }
    }
    return received;
}

Forwarded forwarded(std::string_view text) {
    const size_t at = text.find("Accumulated forward statistics for all ports");
    if (at == std::string_view::npos) return {};
    const auto of_all =
        sums(text.substr(at), {"RX-total", "TX-packets", "RX-dropped", "TX-dropped"});
    if (of_all.size() != 4) return {};
    return {true, of_all.at("RX-total"), of_all.at("TX-packets"),
            of_all.at("RX-dropped") + of_all.at("TX-dropped")};
}

std::vector<SeenPacket> packets(std::string_view text) {
    std::vector<SeenPacket> seen;
    for (const std::string_view line : lines_of(text)) {
        const auto hash = number_behind(line, "RSS hash=");
        const auto queue = number_behind(line, "Receive queue=");
        if (hash && queue) {
            seen.push_back(
                {.hash = static_cast<uint32_t>(*hash),
                 .queue = static_cast<unsigned>(*queue),
                 .is_udp4 = line.find("hw ptype: L3_IPV4 L4_UDP") != std::string_view::npos});
        } else if (line.find("ol_flags:") != std::string_view::npos && !seen.empty()) {
            seen.back().l3_right = line.find("RX_IP_CKSUM_GOOD") != std::string_view::npos;
            seen.back().l4_right = line.find("RX_L4_CKSUM_GOOD") != std::string_view::npos;
        }
    }
    return seen;
}

std::map<unsigned, unsigned> redirection_table(std::string_view text) {
    std::map<unsigned, unsigned> table;
    for (const std::string_view line : lines_of(text)) {
        const auto entry = number_behind(line, "hash index=");
        const auto queue = number_behind(line, "queue=");
        if (entry && queue) table[static_cast<unsigned>(*entry)] = static_cast<unsigned>(*queue);
    }
    return table;
}

}  // namespace zcrxlab::dpdk
