// What a peer tells comes back as it was, and nonsense is refused.
#include "harness/conform/peer_account.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

TEST(PeerAccount, ComesBackAsItWas) {
    PeerAccount account;
    account.streams = {
        {.port = 40000, .sent = 65536, .end = SeenEnd::kClosed, .echoed = 65536},
        {.port = 40002, .sent = 7, .end = SeenEnd::kReset, .echoed = 7, .wrong = WrongByte{3, -2}},
        {.port = 40004, .sent = 0, .end = SeenEnd::kOpen, .wrong = WrongByte{0, {}}},
        {.port = 40006, .afterwards = true, .sent = 1, .end = SeenEnd::kStuck},
        {.port = 0, .afterwards = true, .end = SeenEnd::kRefused},
        {.port = 40007, .sent = 9, .end = SeenEnd::kShut},
        {.port = 40008, .hash = std::string(64, 'a'), .answered = std::string(64, '0')}};
    account.held_back = 3;
    account.growth = Growth{280, 4096, 8192, 9, 10};
    account.silent_milliseconds = 1000;
    account.busy_milliseconds = 3;
    account.clients = {
        {}, {.exit = 3}, {.afterwards = true, .exit = 137, .signal = 9, .overdue = true}};
    account.client_was_done = true;
    account.packets_meanwhile = 0;
    account.idle_rules = 2;
    account.left_open = 5;
    account.error = "nothing to say";
    const auto back = peer_account_from_json(to_json(account));
    ASSERT_TRUE(back) << back.error().sentence;
    EXPECT_EQ(*back, account);
    EXPECT_EQ(*peer_account_from_json(to_json(PeerAccount{})), PeerAccount{});
}

TEST(PeerAccount, NonsenseIsRefused) {
    for (const char* line :
         {"", "x", "[]", "{}", R"({"streams":7})", R"({"streams":[7]})",
          R"({"streams":[{"port":1,"sent":1}]})",
          R"({"streams":[{"port":1,"sent":1,"end":"elsewhere"}]})",
          R"({"streams":[{"port":65536,"sent":1,"end":"open"}]})",
          R"({"streams":[{"port":1,"sent":-1,"end":"open"}]})", R"({"streams":[],"clients":7})"})
        EXPECT_FALSE(peer_account_from_json(line)) << line;
    // What is not needed may be of any type.
    const auto odd = peer_account_from_json(
        R"({"streams":[{"port":1,"sent":1,"end":"open","wrong":"x","echoed":[]}],"error":7})");
    ASSERT_TRUE(odd);
    EXPECT_FALSE(odd->streams[0].wrong);
    EXPECT_EQ(odd->error, "");
    const auto hashes = peer_account_from_json(
        R"({"streams":[{"port":1,"sent":1,"end":"open","hash":"xyz","answered":[]}],"growth":7})");
    ASSERT_TRUE(hashes);
    EXPECT_EQ(hashes->streams[0].hash, "");
    EXPECT_FALSE(hashes->growth);
    // A run of which nothing can be read is no success of the program's.
    const auto clients =
        peer_account_from_json(R"({"streams":[],"clients":[7,{"exit":"x"},{"exit":1}]})");
    ASSERT_TRUE(clients);
    ASSERT_EQ(clients->clients.size(), 3U);
    for (const ClientRun& run : clients->clients) EXPECT_FALSE(run.went_well());
}

}  // namespace
}  // namespace zcrxlab
