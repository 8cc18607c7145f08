// The hash is that of the standard, and is found in what programs print.
#include "harness/conform/sha256.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>

namespace zcrxlab {
namespace {

std::string hash_of(std::string_view text, size_t part) {
    Sha256 hash;
    while (!text.empty()) {
        hash.add(std::as_bytes(std::span(text.substr(0, part))));
        text.remove_prefix(std::min(part, text.size()));
    }
    return hash.hex();
}

// FIPS 180-4's own examples (NIST, "SHA256.pdf" of the cryptographic toolkit), and that of nothing.
TEST(Sha256, OfTheStandardsExamples) {
    EXPECT_EQ(hash_of("", 1), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hash_of("abc", 3),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const std::string two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    for (const size_t part : {1U, 7U, 56U, 64U})
        EXPECT_EQ(hash_of(two_blocks, part),
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(hash_of(std::string(1'000'000, 'a'), 8191),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, IsFoundInText) {
    const std::string one(64, 'a');
    EXPECT_EQ(sha256_in("8080: " + std::string(64, 'A') + "  -\n"), std::vector{one});
    EXPECT_EQ(sha256_in(one + " " + one).size(), 2U);
    EXPECT_TRUE(sha256_in(one + "a").empty());
    EXPECT_TRUE(sha256_in(one.substr(1)).empty());
    EXPECT_TRUE(sha256_in(one + one).empty());
    EXPECT_TRUE(sha256_in("").empty());
}

}  // namespace
}  // namespace zcrxlab
