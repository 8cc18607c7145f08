// The journal: what is written is what is read, by one at a time; and nonsense is refused.
#include "harness/lab/journal.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/fakes/nic_machines.hpp"

namespace zcrxlab {
namespace {

Journal journal() {
    Journal journal;
    journal.boot = "b00";
    journal.started = "2026-01-01 00:00:00 UTC";
    journal.peer_namespace = "/run/netns/zcrxlab-ens1f0np0";
    NicSettings settings = mlx5_settings();
    settings.addresses = {"192.0.2.1/24"};
    settings.up = true;
    settings.rules[4] = {std::byte(0), std::byte(0xff)};
    settings.rings->rx_buf_len = 4096;
    journal.ports.push_back(
        {"ens1f0np0", "84:16:0c:00:00:10", "0000:3b:00.0", "mlx5_core", settings, {"a", "b"}});
    PciFunction function;
    function.address = "0000:3b:00.0";
    function.driver = "mlx5_core";
    function.driver_override = "vfio-pci";
    function.power_control = "auto";
    journal.functions = {function};
    journal.ports.push_back({"ens1f1np1", "84:16:0c:00:00:11", "", "", NicSettings{}, {}});
    return journal;
}

TEST(JournalText, WhatIsTooDeepIsRefused) {
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    for (const std::string& text :
         {R"({"version":1,"ports":[{"interface":"a","settings":{"x":)" + deep + "}}]}",
          R"({"version":1,"ports":[)" + deep + "]}"})
        EXPECT_FALSE(journal_from_json(text));
}

TEST(JournalText, EverythingSurvives) {
    const Journal written = journal();
    const auto read = journal_from_json(to_json(written));
    ASSERT_TRUE(read) << read.error().sentence;
    EXPECT_EQ(read->boot, written.boot);
    EXPECT_EQ(read->started, written.started);
    EXPECT_EQ(read->peer_namespace, written.peer_namespace);
    EXPECT_EQ(read->functions, written.functions);
    ASSERT_EQ(read->ports.size(), 2U);
    for (size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(read->ports[i].interface, written.ports[i].interface);
        EXPECT_EQ(read->ports[i].address, written.ports[i].address);
        EXPECT_EQ(read->ports[i].pci, written.ports[i].pci);
        EXPECT_EQ(read->ports[i].driver, written.ports[i].driver);
        EXPECT_EQ(read->ports[i].settings, written.ports[i].settings);
        EXPECT_EQ(read->ports[i].snapshot, written.ports[i].snapshot);
    }
    for (const NicSettings& settings : {bnxt_settings(), gve_settings()}) {
        const auto same = settings_from_json(to_json(settings));
        ASSERT_TRUE(same);
        EXPECT_EQ(*same, settings);
    }
}

TEST(JournalText, NonsenseIsRefused) {
    for (const char* text : {"", "[]", "{}", R"({"version":2,"ports":[]})", R"({"version":1})",
                             R"({"version":1,"ports":[]})", R"({"version":1,"ports":[1]})",
                             R"({"version":1,"ports":[{"interface":"a"}]})",
                             R"({"version":1,"ports":[{"settings":{}}]})",
                             R"({"version":1,"functions":{},"ports":[]})",
                             R"({"version":1,"functions":[{"address":"../x"}],"ports":[]})"}) {
        const auto read = journal_from_json(text);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().code, EINVAL);
    }
    // Cut off anywhere, it is no journal.
    const std::string whole = to_json(journal());
    for (size_t size = 0; size < whole.size(); size += 7)
        EXPECT_FALSE(journal_from_json(whole.substr(0, size)));
}

// Root unmounts and removes what the journal names.
TEST(JournalText, ThePeersNamespaceIsOneOfOurs) {
    Journal foreign = journal();
    for (const char* path : {"/etc/passwd", "/run/netns/blue", "/run/netns/zcrxlab-",
                             "/run/netns/zcrxlab-/../../etc/passwd", "/run/netns/zcrxlab-a/b",
                             "run/netns/zcrxlab-eth0", "/run/netns/zcrxlab-0123456789abcdef"}) {
        foreign.peer_namespace = path;
        const auto read = journal_from_json(to_json(foreign));
        ASSERT_FALSE(read) << path;
        EXPECT_EQ(read.error().code, EINVAL);
    }
    for (const std::string& path : {std::string(), peer_namespace_of("eth0")}) {
        foreign.peer_namespace = path;
        EXPECT_TRUE(journal_from_json(to_json(foreign))) << path;
    }
}

TEST(JournalText, IsAboutPortsOrFunctions) {
    Journal cards;
    cards.functions = journal().functions;
    const auto read = journal_from_json(to_json(cards));
    ASSERT_TRUE(read) << read.error().sentence;
    EXPECT_EQ(read->about(), "0000:3b:00.0");
    EXPECT_EQ(journal().about(), "ens1f0np0");
    for (const char* name : {"ens1f0np0", "ens1f1np1", "0000:3b:00.0"})
        EXPECT_TRUE(journal().names(name)) << name;
    for (const char* name : {"", "eno1", "0000:3b:00.1"})
        EXPECT_FALSE(journal().names(name)) << name;
}

TEST(SettingsText, AFeatureOfAnEarlierJournalIsAsRequested) {
    const auto read =
        settings_from_json(R"({"features":{"a":true,"b":{"on":false,"requested":true}}})");
    ASSERT_TRUE(read) << read.error().sentence;
    EXPECT_EQ(read->features,
              (std::map<std::string, FeatureState>{{"a", true}, {"b", {false, true}}}));
}

TEST(SettingsText, AWrongMemberIsNamed) {
    const std::pair<const char*, const char*> cases[] = {
        {R"({"mtu":-1})", "\"mtu\""},
        {R"({"mtu":4294967296})", "\"mtu\""},
        {R"({"up":1})", "\"up\""},
        {R"({"addresses":[1]})", "\"addresses\""},
        {R"({"features":{"a":1}})", "\"features\""},
        {R"({"features":{"a":{"requested":1}}})", "\"features\""},
        {R"({"rings":{"data_split":3}})", "\"data_split\""},
        {R"({"channels":[]})", "is no object"},
        {R"({"rss":{"key":"0"}})", "\"key\""},
        {R"({"rss":{"key":"0G"}})", "\"key\""},
        {R"({"rss":{"table":["x"]}})", "\"table\""},
        {R"({"rules":[{"rule":"00"}]})", "\"location\""},
        {R"({"rules":{}})", "\"rules\""},
        {"7", "is no object"},
        {"x", "no JSON"},
    };
    for (const auto& [text, says] : cases) {
        const auto read = settings_from_json(text);
        ASSERT_FALSE(read) << text;
        EXPECT_NE(read.error().sentence.find(says), std::string::npos) << read.error().sentence;
    }
}

TEST(JournalFile, OneHoldsItAtATime) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "lab" / JournalFile::name_for("0000:3b:00.0", "eth0");
    auto first = JournalFile::hold(path);
    ASSERT_TRUE(first) << first.error().sentence;
    EXPECT_FALSE(first->left_behind());
    const auto second = JournalFile::hold(path);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, EBUSY);
    first = Error{};
    EXPECT_TRUE(JournalFile::hold(path));
}

TEST(JournalFile, StaysUntilItIsCleared) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "lab" / "eth0.json";
    {
        auto file = JournalFile::hold(path);
        ASSERT_TRUE(file);
        ASSERT_TRUE(file->write(journal()));
        // A shorter one leaves nothing of the longer.
        Journal shorter = journal();
        shorter.ports.pop_back();
        ASSERT_TRUE(file->write(shorter));
    }
    EXPECT_EQ(JournalFile::all_in(folder.path() / "lab").size(), 1U);
    {
        const auto holder = JournalFile::hold(path);
        ASSERT_TRUE(holder);
        EXPECT_TRUE(JournalFile::peek(path));
    }
    auto file = JournalFile::hold(path);
    ASSERT_TRUE(file);
    EXPECT_TRUE(file->left_behind());
    const auto read = file->read();
    ASSERT_TRUE(read) << read.error().sentence;
    EXPECT_EQ(read->ports.size(), 1U);
    ASSERT_TRUE(file->clear());
    EXPECT_FALSE(file->left_behind());
}

// Whoever may write there could have root overwrite any file; what is in it concerns nobody else.
TEST(JournalFile, IsNoLinkAndNobodyElseReadsIt) {
    const TemporaryFolder folder;
    const auto target = folder.write("target", "precious");
    const auto link = folder.path() / "eth0.json";
    std::filesystem::create_symlink(target, link);
    EXPECT_FALSE(JournalFile::hold(link));
    EXPECT_FALSE(JournalFile::peek(link));
    EXPECT_EQ(folder.read("target"), "precious");
    const auto path = folder.path() / "eth1.json";
    ASSERT_TRUE(JournalFile::hold(path));
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(path).permissions() & ~perms::owner_all, perms::none);
}

TEST(JournalFile, IsNotBelievedIfSomebodyElseCanWriteIt) {
    const TemporaryFolder folder;
    const auto path = folder.write("eth0.json", to_json(journal()));
    EXPECT_TRUE(JournalFile::peek(path));
    using std::filesystem::perms;
    std::filesystem::permissions(path, perms::owner_all | perms::others_write);
    EXPECT_EQ(JournalFile::peek(path).error().code, EPERM);
    EXPECT_EQ(JournalFile::hold(path).error().code, EPERM);
    std::filesystem::permissions(path, perms::owner_all);
    if (::geteuid() != 0 || ::chown(path.c_str(), 12345, 0) != 0) return;
    EXPECT_EQ(JournalFile::peek(path).error().code, EPERM);
    EXPECT_EQ(JournalFile::hold(path).error().code, EPERM);
}

TEST(JournalFile, OneThatIsTooLargeIsNotRead) {
    const TemporaryFolder folder;
    const auto path = folder.write("eth0.json", "");
    std::filesystem::resize_file(path, (64 << 20) + 1);  // all of it a hole
    const auto read = JournalFile::peek(path);
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().sentence.find("too large"), std::string::npos);
}

TEST(JournalFile, OneThatWasCutOffSaysWhatToDo) {
    const TemporaryFolder folder;
    const auto path = folder.write("eth0.json", to_json(journal()).substr(0, 100));
    const auto file = JournalFile::hold(path);
    ASSERT_TRUE(file);
    const auto read = file->read();
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().sentence.find("rm " + path.string()), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
