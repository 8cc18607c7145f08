// The guest image, read back with libarchive, which knows nothing of our writer.
#include "vm/image/image.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <map>

#include "tests/fakes/temporary_folder.hpp"
#include "vm/guest/cpio.hpp"

namespace zcrxlab {
namespace {

struct Entry {
    mode_t mode = 0;
    std::string content;
    std::string link;
    dev_t device = 0;
};

// In the order of the archive; a parent that comes after its child fails.
std::map<std::string, Entry> unpack(const std::string& bytes) {
    std::map<std::string, Entry> entries;
    archive* reader = archive_read_new();
    archive_read_support_format_cpio(reader);
    EXPECT_EQ(archive_read_open_memory(reader, bytes.data(), bytes.size()), ARCHIVE_OK);
    archive_entry* header = nullptr;
    int result = ARCHIVE_OK;
    while ((result = archive_read_next_header(reader, &header)) == ARCHIVE_OK) {
        const std::string name = archive_entry_pathname(header);
        const size_t slash = name.rfind('/');
        if (slash != std::string::npos) {
            EXPECT_EQ(entries.count(name.substr(0, slash)), 1U) << name;
        }
        Entry entry;
        entry.mode = archive_entry_mode(header);
        entry.device = archive_entry_rdev(header);
        if (archive_entry_symlink(header) != nullptr) entry.link = archive_entry_symlink(header);
        // Libarchive takes a link's destination out of its content.
        if (entry.link.empty())
            entry.content.resize(static_cast<size_t>(archive_entry_size(header)));
        EXPECT_EQ(archive_read_data(reader, entry.content.data(), entry.content.size()),
                  static_cast<la_ssize_t>(entry.content.size()));
        EXPECT_TRUE(entries.emplace(name, std::move(entry)).second) << name << " is there twice";
    }
    EXPECT_EQ(result, ARCHIVE_EOF);
    archive_read_free(reader);
    return entries;
}

TEST(Cpio, ComesBackAsItWas) {
    CpioWriter writer;
    for (size_t size : {0, 1, 2, 3, 4, 5, 4095, 4096, 100'000})
        writer.add_file("/files/of/size-" + std::to_string(size), std::string(size, 'z'), 0640);
    writer.add_link("/bin/sh", "busybox");
    writer.add_character_device("/dev/console", 5, 1);
    writer.add_folder("/empty", 0700);
    const auto entries = unpack(writer.finish());
    EXPECT_EQ(entries.at("files/of/size-4095").content, std::string(4095, 'z'));
    EXPECT_EQ(entries.at("files/of/size-0").content, "");
    EXPECT_EQ(entries.at("files/of/size-3").mode, S_IFREG | 0640U);
    EXPECT_EQ(entries.at("files/of").mode, S_IFDIR | 0755U);
    EXPECT_EQ(entries.at("empty").mode, S_IFDIR | 0700U);
    EXPECT_EQ(entries.at("bin/sh").link, "busybox");
    EXPECT_EQ(entries.at("dev/console").mode, S_IFCHR | 0600U);
    EXPECT_EQ(entries.at("dev/console").device, makedev(5, 1));
    EXPECT_EQ(entries.size(), 16U);
}

TEST(Cpio, APathIsAddedOnce) {
    CpioWriter writer;
    writer.add_file("/a", "first");
    writer.add_file("/a", "second");
    const auto entries = unpack(writer.finish());
    EXPECT_EQ(entries.at("a").content, "first");
}

class Image : public testing::Test {
  protected:
    Image() {
        parts_.init = folder_.write("zcrx-init", "#! not really");
        parts_.plan.arguments = {"/usr/bin/true"};
    }
    TemporaryFolder folder_;
    ImageParts parts_;
};

TEST_F(Image, HasInitPlanAndModulesInOrder) {
    parts_.modules = {{"base", "base bytes"}, {"gve", "gve bytes"}};
    const auto image = build_image(parts_);
    ASSERT_TRUE(image) << image.error().sentence;
    const auto entries = unpack(*image);
    EXPECT_EQ(entries.at("init").mode, S_IFREG | 0755U);
    EXPECT_EQ(entries.at("lib/modules/gve.ko").content, "gve bytes");
    EXPECT_EQ(entries.count("dev/console"), 1U);
    const auto plan = guest_plan_from_text(entries.at("zcrxlab.plan").content);
    ASSERT_TRUE(plan) << plan.error().sentence;
    EXPECT_EQ(plan->modules,
              (std::vector<std::string>{"/lib/modules/base.ko", "/lib/modules/gve.ko"}));
}

TEST_F(Image, AProgramBringsItsLibrariesAndItsLoader) {
    parts_.programs = {{"/proc/self/exe", "/usr/bin/this-test"}};
    const auto image = build_image(parts_);
    ASSERT_TRUE(image) << image.error().sentence;
    const auto entries = unpack(*image);
    EXPECT_EQ(entries.count("usr/bin/this-test"), 1U);
    size_t libraries = 0;
    bool loader = false;
    for (const auto& [name, entry] : entries) {
        libraries += name.find("libc.so") != std::string::npos ||
                             name.find("libstdc++.so") != std::string::npos
                         ? 1
                         : 0;
        loader = loader || name.find("ld-linux") != std::string::npos;
    }
    EXPECT_EQ(libraries, 2U);
    EXPECT_TRUE(loader);
}

TEST_F(Image, WhatIsMissingIsNamed) {
    parts_.programs = {{folder_.path() / "absent", "/usr/bin/absent"}};
    const auto image = build_image(parts_);
    ASSERT_FALSE(image);
    EXPECT_NE(image.error().sentence.find("absent"), std::string::npos);
}

TEST(GuestPlanText, ComesBackAsItWas) {
    GuestPlan plan;
    plan.modules = {"/lib/modules/a.ko"};
    plan.pairs = {{"gve", "0000:00:04.0", "0000:00:05.0", "/run/netns/peer", "192.0.2.1", "fd00::1",
                   "192.0.2.2", "fd00::2"},
                  {"igb", "0000:00:06.0", "0000:00:07.0", "/run/netns/peer-igb", "198.18.1.1",
                   "fd01::1", "198.18.1.2", "fd01::2"}};
    plan.faults = {{0, "add id=1 what=drop every=7"}, {1, "add id=2 what=reset"}};
    plan.environment = {{"A", "1"}, {"B", "with = and\nnewline and \\n"}, {"EMPTY", ""}};
    plan.arguments = {"/bin/sh", "-c", "echo 'a  b'\n exit\\ 3 ", ""};
    plan.interactive = true;
    plan.streams = GuestStreams::kTerminal;
    plan.parameters = {{"zcrx", "mutant", "17"}, {"a", "b", "c=d e"}};
    plan.wait_for_environment = true;
    plan.shares = {{"host0", "/"}, {"host1", "/home/a b\nc"}};
    plan.copies = {{"/a", "/b c"}, {"/d e", "/f"}};
    plan.modules_on_demand = true;
    plan.module_folder = "/a b/modules";
    plan.modprobe = "/a/ld.so '/b c/modprobe'";
    plan.huge_pages = 8;
    plan.host_name = "a-host";
    plan.count_receives = true;
    plan.preparation = {"/usr/bin/prepare", "--two words", ""};
    plan.user = GuestUser{1000, 100, {4, 27}};
    plan.folder = "/home/a person";
    plan.peer = {{"/bin/sh", "-c", "curl $X"}, true, {80, 8080}, 3};
    plan.rounds = {{.name = "plain", .peer = {"/usr/bin/peer", "plain"}},
                   {.name = "taken",
                    .peer = {"/usr/bin/peer"},
                    .before = {"/usr/bin/take", "it"},
                    .old_kernel = true,
                    .restarts = true}};
    const auto back = guest_plan_from_text(to_text(plan));
    ASSERT_TRUE(back) << back.error().sentence;
    EXPECT_EQ(to_text(*back), to_text(plan));
    EXPECT_EQ(back->environment, plan.environment);
    ASSERT_EQ(back->parameters.size(), 2U);
    EXPECT_EQ(back->parameters[0].module + back->parameters[0].name, "zcrxmutant");
    EXPECT_EQ(back->parameters[1].value, "c=d e");
    EXPECT_EQ(back->arguments, plan.arguments);
    ASSERT_EQ(back->faults.size(), 2U);
    EXPECT_EQ(back->faults[0].line, "add id=1 what=drop every=7");
    EXPECT_EQ(back->faults[1].port, 1U);
    ASSERT_EQ(back->pairs.size(), 2U);
    EXPECT_EQ(back->pairs[1].peer_netns, "/run/netns/peer-igb");
    EXPECT_EQ(back->pairs[1].local_v6, "fd01::1");
    EXPECT_TRUE(back->interactive);
    EXPECT_EQ(back->streams, GuestStreams::kTerminal);
    EXPECT_TRUE(back->wait_for_environment);
    ASSERT_EQ(back->shares.size(), 2U);
    EXPECT_EQ(back->shares[1].place, "/home/a b\nc");
    EXPECT_EQ(back->copies, plan.copies);
    EXPECT_TRUE(back->modules_on_demand);
    EXPECT_EQ(back->module_folder, plan.module_folder);
    EXPECT_EQ(back->modprobe, plan.modprobe);
    EXPECT_EQ(back->huge_pages, 8U);
    EXPECT_EQ(back->host_name, "a-host");
    EXPECT_TRUE(back->count_receives);
    EXPECT_EQ(back->preparation, plan.preparation);
    ASSERT_TRUE(back->user);
    EXPECT_EQ(back->user->user, 1000U);
    EXPECT_EQ(back->user->group, 100U);
    EXPECT_EQ(back->user->groups, (std::vector<uint32_t>{4, 27}));
    EXPECT_EQ(back->folder, "/home/a person");
    EXPECT_EQ(back->peer.arguments, plan.peer.arguments);
    EXPECT_TRUE(back->peer.first);
    EXPECT_EQ(back->peer.ports, (std::vector<uint16_t>{80, 8080}));
    EXPECT_EQ(back->peer.linger_seconds, 3U);
    ASSERT_EQ(back->rounds.size(), 2U);
    EXPECT_TRUE(back->rounds[0].before.empty());
    EXPECT_FALSE(back->rounds[0].old_kernel || back->rounds[0].restarts);
    EXPECT_EQ(back->rounds[1].name, "taken");
    EXPECT_EQ(back->rounds[1].before, plan.rounds[1].before);
    EXPECT_TRUE(back->rounds[1].old_kernel && back->rounds[1].restarts);
}

TEST(GuestPlanText, NonsenseIsRefused) {
    for (const char* text : {"module",
                             "nonsense x\n",
                             "environment =x\n",
                             "environment novalue\n",
                             "parameter a=b\n",
                             "parameter ../a.b=c\n",
                             "parameter a.=c\n",
                             "receiver-pci 0000:00:04.0\n",
                             "fault add id=1\n",
                             "fault 2 add\n",
                             "fault 0 \n",
                             "streams both\n",
                             "share host0\n",
                             "share host0 there\n",
                             "copy /a\n",
                             "user 1000\n",
                             "user 1000 x\n",
                             "user 1000 -1\n",
                             "timeout soon\n",

                             "peer-ports 80 0\n",
                             "peer-ports 65536\n",
                             "peer-linger x\n"})
        EXPECT_FALSE(guest_plan_from_text(text)) << text;
}

}  // namespace
}  // namespace zcrxlab
