// describe: a packet's headers as words for people.
#include "nic/wire/describe.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

namespace zcrxlab::nic {
namespace {

std::string address(const ParsedHeaders& headers, const uint8_t* bytes) {
    char text[INET6_ADDRSTRLEN] = {};
    inet_ntop(headers.l3 == L3::kIpv4 ? AF_INET : AF_INET6, bytes, text, sizeof(text));
    return text;
}

std::string endpoint(const ParsedHeaders& headers, const uint8_t* bytes, uint16_t port) {
    if (headers.l4 != L4::kTcp && headers.l4 != L4::kUdp) return address(headers, bytes);
    const char* shape = headers.l3 == L3::kIpv4 ? "{}:{}" : "[{}]:{}";
    return fmt::format(fmt::runtime(shape), address(headers, bytes), port);
}

std::string flags(uint8_t set) {
    // From the lowest bit up.
    static constexpr char kLetters[] = "FSRPAUEC";
    std::string text;
    for (unsigned bit = 0; bit < 8; ++bit) {
        if ((set >> bit & 1) != 0) text += kLetters[bit];
    }
    return text;
}

std::string protocol(const ParsedHeaders& headers) {
    switch (headers.l4) {
        case L4::kTcp:
            return "TCP";
        case L4::kUdp:
            return "UDP";
        case L4::kIcmp:
            return "ICMP";
        case L4::kFragment:
            return "fragment";
        case L4::kOther:
            break;
    }
    return fmt::format("protocol {}", headers.protocol);
}

}  // namespace

std::string describe(const ParsedHeaders& headers) {
    if (headers.l3 == L3::kOther) return fmt::format("not IP, length {}", headers.end);
    std::string text = fmt::format(
        "{} {} > {}", protocol(headers), endpoint(headers, headers.source, headers.source_port),
        endpoint(headers, headers.destination, headers.destination_port));
    if (headers.l4 == L4::kTcp)
        text += fmt::format(" [{}] sequence {}", flags(headers.tcp_flags), headers.tcp_sequence);
    return text + fmt::format(" length {}", headers.payload_length());
}

}  // namespace zcrxlab::nic
