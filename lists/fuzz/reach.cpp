// Reach: reads the records of a .gcda file.
#include "lists/fuzz/reach.hpp"

#include <cerrno>
#include <cstring>
#include <string>

namespace zcrxlab {

namespace {

// gcc/gcov-io.h: words in the byte order of who wrote them, a tag and a length before each record.
constexpr uint32_t kMagic = 0x67636461;  // "gcda"
constexpr uint32_t kFunction = 0x01000000;
constexpr uint32_t kArcCounters = 0x01a10000;
constexpr uint32_t kWordsOfFunction = 3;  // since 4.7: its number, and two checksums
constexpr size_t kWord = 4;

class Words {
  public:
    explicit Words(std::string_view bytes) : bytes_(bytes) {}

    bool has(uint64_t count) const { return bytes_.size() / kWord - at_ >= count; }
    bool at_end() const { return !has(1); }
    // Only where it has one.
    uint32_t peek() const {
        uint32_t word = 0;
        std::memcpy(&word, bytes_.data() + at_ * kWord, kWord);
        return word;
    }
    uint32_t take() {
        const uint32_t word = peek();
        ++at_;
        return word;
    }
    void skip(uint64_t count) { at_ += count; }

  private:
    std::string_view bytes_;
    size_t at_ = 0;  // in words
};

// FNV-1a.
uint64_t mixed(uint64_t hash, std::string_view bytes) {
    for (const char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211U;
    return hash;
}

uint64_t mixed(uint64_t hash, uint32_t number) {
    for (unsigned shift = 0; shift < 32; shift += 8)
        hash = (hash ^ (number >> shift & 0xff)) * 1099511628211U;
    return hash;
}

// Its name without the folder that it was built in, which is another one on another machine.
std::string_view name_in_tree(std::string_view object) {
    size_t slash = object.rfind('/');
    if (slash != std::string_view::npos && slash > 0) slash = object.rfind('/', slash - 1);
    return slash == std::string_view::npos ? object : object.substr(slash + 1);
}

Error broken(std::string_view object, const char* why) {
    return {EPROTO, "The counters of " + std::string(object) + " make no sense: " + why + "."};
}

}  // namespace

Result<std::vector<Arc>> arcs_in(std::string_view object, std::string_view gcda) {
    Words words(gcda);
    if (!words.has(3) || words.take() != kMagic) return broken(object, "they do not begin so");
    words.skip(2);  // version, stamp
    // gcc 12 has a checksum more there, and lengths in bytes.
    if (words.has(1) && words.peek() != kFunction) words.skip(1);
    const uint64_t file = mixed(14695981039346656037U, name_in_tree(object));
    uint64_t function = file;
    uint64_t unit = 1;
    std::vector<Arc> arcs;
    while (words.has(2)) {
        const uint32_t tag = words.take();
        const uint32_t length = words.take();
        if (tag == 0) break;
        if (tag == kFunction) {
            if (length != 0 && length != kWordsOfFunction && length != kWordsOfFunction * kWord)
                return broken(object, "a function has another length");
            if (length != 0) unit = length / kWordsOfFunction;
        }
        // A negative length: so many counters are all 0, and are not there.
        if (static_cast<int32_t>(length) < 0) continue;
        const uint64_t count = length / unit;
        if (!words.has(count)) return broken(object, "they end too early");
        if (tag == kFunction && count > 0) {
            function = mixed(file, words.peek());
            words.skip(count);
        } else if (tag == kArcCounters) {
            for (uint32_t arc = 0; arc < count / 2; ++arc) {
                const bool counted = (words.take() | words.take()) != 0;
                if (counted) arcs.push_back(mixed(function, arc));
            }
            words.skip(count % 2);
        } else {
            words.skip(count);
        }
    }
    return arcs;
}

size_t Reach::add(const std::vector<Arc>& arcs) {
    size_t added = 0;
    for (const Arc arc : arcs) added += arcs_.insert(arc).second ? 1 : 0;
    return added;
}

}  // namespace zcrxlab
