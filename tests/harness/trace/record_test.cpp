// Records: what was encoded is read back in any portions; anything else stops the reader for good.
#include "harness/trace/record.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace zcrxlab {
namespace {

std::vector<std::byte> joined(std::initializer_list<std::vector<std::byte>> parts) {
    std::vector<std::byte> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

// The error of a reader that was fed `bytes`; an empty sentence if there was none.
std::string error_of(const std::vector<std::byte>& bytes) {
    RecordReader reader;
    reader.feed(bytes);
    while (true) {
        const auto record = reader.next();
        if (!record) {
            EXPECT_EQ(record.error().code, EPROTO);
            return record.error().sentence;
        }
        if (!record->has_value()) return {};
    }
}

TEST(Record, ChecksumIsTheKnownOne) {
    EXPECT_EQ(crc32(std::as_bytes(std::span("123456789", 9))), 0xcbf43926U);
    EXPECT_EQ(crc32({}), 0U);
}

TEST(Record, LayoutIsFixed) {
    const auto bytes = encode_record(RecordType::kDone, "{}");
    ASSERT_EQ(bytes.size(), 18U);
    EXPECT_EQ(std::memcmp(bytes.data(), "ZLAB", 4), 0);
    EXPECT_EQ(bytes[4], std::byte{9});
    EXPECT_EQ(bytes[8], std::byte{2});
    EXPECT_EQ(std::memcmp(bytes.data() + 16, "{}", 2), 0);
}

TEST(Record, AnyPortionsGiveTheSameRecords) {
    const auto bytes = joined({encode_record(RecordType::kHello, R"({"kernel":"7.2"})"),
                               encode_record(RecordType::kNotice, ""),
                               encode_record(RecordType::kDone, R"({"exit":0})")});
    for (size_t portion = 1; portion <= bytes.size(); ++portion) {
        RecordReader reader;
        std::vector<Record> records;
        for (size_t at = 0; at < bytes.size(); at += portion) {
            reader.feed(std::span(bytes).subspan(at, std::min(portion, bytes.size() - at)));
            while (true) {
                const auto record = reader.next();
                ASSERT_TRUE(record.ok()) << record.error().sentence;
                if (!record->has_value()) break;
                records.push_back(**record);
            }
        }
        ASSERT_EQ(records.size(), 3U) << "in portions of " << portion;
        EXPECT_EQ(records[0].type, RecordType::kHello);
        EXPECT_EQ(records[0].json, R"({"kernel":"7.2"})");
        EXPECT_EQ(records[1].json, "");
        EXPECT_EQ(records[2].json, R"({"exit":0})");
    }
}

TEST(Record, EveryFlippedBitIsNoticedOrChangesOnlyTheType) {
    const auto good = encode_record(RecordType::kNotice, R"({"text":"hello"})");
    for (size_t bit = 0; bit < good.size() * 8; ++bit) {
        const size_t byte = bit / 8;
        if (byte >= 4 && byte < 8) continue;  // type and reserved: the reader passes them on
        auto bad = good;
        bad[byte] ^= static_cast<std::byte>(1U << (bit % 8));
        RecordReader reader;
        reader.feed(bad);
        const auto record = reader.next();
        // A longer length waits for more; everything else is an error.
        EXPECT_TRUE(!record.ok() || !record->has_value()) << "bit " << bit;
    }
}

TEST(Record, WrongMagicStopsTheReaderForGood) {
    RecordReader reader;
    reader.feed(std::as_bytes(std::span("this is not a record", 20)));
    const auto first = reader.next();
    ASSERT_FALSE(first.ok());
    EXPECT_NE(first.error().sentence.find("0x73696874 in place of 0x42414c5a"), std::string::npos)
        << first.error().sentence;
    reader.feed(encode_record(RecordType::kDone, "{}"));
    EXPECT_FALSE(reader.next().ok());
}

TEST(Record, AnnouncedLengthIsBounded) {
    RecordHeader header{};
    header.magic = kRecordMagic;
    header.length = kRecordMaximum + 1;
    std::vector<std::byte> bytes(sizeof(header));
    std::memcpy(bytes.data(), &header, sizeof(header));
    EXPECT_NE(error_of(bytes).find("4194305 bytes"), std::string::npos);
}

TEST(Record, DamagedContentIsNamed) {
    auto bytes = encode_record(RecordType::kTrace, R"({"test":"a"})");
    bytes.back() ^= std::byte{1};
    EXPECT_NE(error_of(bytes).find("type 5 with 12 bytes arrived damaged"), std::string::npos);
}

TEST(Record, TooLongJsonBecomesANotice) {
    const std::string huge(kRecordMaximum + 1, 'x');
    RecordReader reader;
    reader.feed(encode_record(RecordType::kTrace, huge));
    const auto record = reader.next();
    ASSERT_TRUE(record.ok() && record->has_value());
    EXPECT_EQ((*record)->type, RecordType::kNotice);
    EXPECT_NE((*record)->json.find("A record of type 5 was left out"), std::string::npos);

    RecordReader exact;
    exact.feed(encode_record(RecordType::kTrace, std::string_view(huge).substr(1)));
    const auto fits = exact.next();
    ASSERT_TRUE(fits.ok() && fits->has_value());
    EXPECT_EQ((*fits)->json.size(), kRecordMaximum);
}

}  // namespace
}  // namespace zcrxlab
