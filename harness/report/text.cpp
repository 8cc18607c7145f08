// Text that came out of the guest, made safe for terminals and files.
#include <cstddef>

#include "harness/report/report.hpp"

namespace zcrxlab {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

// The length of the valid UTF-8 sequence at the start of `text` (RFC 3629); 0 if there is none.
size_t sequence_length(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    size_t length = 0;
    unsigned char second_from = 0x80;
    unsigned char second_to = 0xbf;
    if (first >= 0xc2 && first <= 0xdf) {
        length = 2;
    } else if (first >= 0xe0 && first <= 0xef) {
        length = 3;
        if (first == 0xe0) second_from = 0xa0;  // else it would be overlong
        if (first == 0xed) second_to = 0x9f;    // else a surrogate
    } else if (first >= 0xf0 && first <= 0xf4) {
        length = 4;
        if (first == 0xf0) second_from = 0x90;
        if (first == 0xf4) second_to = 0x8f;  // else above U+10FFFF
    }
    if (length == 0 || text.size() < length) return 0;
    if (byte(1) < second_from || byte(1) > second_to) return 0;
    for (size_t i = 2; i < length; ++i)
        if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
    return length;
}

// C1 controls (U+0080 to U+009F, terminals obey them) and U+FFFE and U+FFFF (not allowed in XML).
bool is_unwanted(std::string_view sequence) {
    return (sequence.size() == 2 && sequence[0] == '\xc2' &&
            static_cast<unsigned char>(sequence[1]) < 0xa0) ||
           sequence == "\xef\xbf\xbe" || sequence == "\xef\xbf\xbf";
}

}  // namespace

std::string cleaned(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const size_t length = sequence_length(text);
        const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
        text.remove_prefix(sequence.size());
        const auto first = static_cast<unsigned char>(sequence[0]);
        if (length == 0)
            clean += kReplacement;
        else if (first == '\n' || first == '\t' || (first >= 0x20 && first != 0x7f))
            clean += is_unwanted(sequence) ? kReplacement : sequence;
    }
    return clean;
}

std::string on_one_line(std::string_view text) {
    std::string line = cleaned(text);
    for (char& c : line)
        if (c == '\n' || c == '\t') c = ' ';
    while (!line.empty() && line.back() == ' ') line.pop_back();
    return line;
}

}  // namespace zcrxlab
