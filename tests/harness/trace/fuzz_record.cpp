// Feeds arbitrary bytes to RecordReader, in two portions: the answer must not depend on the cut.
//
// reaches 45 % of harness/trace/record.cpp
#include <cstdlib>

#include "harness/trace/record.hpp"

namespace {

using namespace zcrxlab;

struct Outcome {
    std::vector<std::string> records;
    bool broken = false;
    bool operator==(const Outcome&) const = default;
};

void take_all(RecordReader& reader, Outcome& outcome) {
    while (true) {
        const auto record = reader.next();
        outcome.broken = !record.ok();
        if (!record || !record->has_value()) return;
        outcome.records.push_back((*record)->json);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const size_t cut = data[0] % size;
    const auto bytes = std::as_bytes(std::span(data + 1, size - 1));

    Outcome whole;
    RecordReader reader;
    reader.feed(bytes);
    take_all(reader, whole);

    Outcome in_parts;
    RecordReader other;
    other.feed(bytes.first(std::min(cut, bytes.size())));
    take_all(other, in_parts);
    other.feed(bytes.subspan(std::min(cut, bytes.size())));
    take_all(other, in_parts);

    if (!(whole == in_parts)) std::abort();

    // What a writer makes of the input must come back as it was.
    const std::string json(reinterpret_cast<const char*>(data), size);
    RecordReader back;
    back.feed(encode_record(RecordType::kNotice, json));
    const auto record = back.next();
    if (!record || !record->has_value() || (*record)->json != json) std::abort();
    return 0;
}
