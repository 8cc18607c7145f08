// The tree keeps its layering; and includes that break it are noticed.
#include "tests/layering/layering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Files below the root, relative to it; build folders and hidden ones are not ours.
std::vector<std::string> all_files_of(const fs::path& root) {
    std::vector<std::string> files;
    for (auto it = fs::recursive_directory_iterator(root); it != fs::end(it); ++it) {
        const std::string name = it->path().filename();
        if (it->is_directory() && (name[0] == '.' || name.rfind("build", 0) == 0))
            it.disable_recursion_pending();
        else if (it->is_regular_file())
            files.push_back(fs::relative(it->path(), root));
    }
    return files;
}

std::vector<std::string> files_of(const fs::path& root) {
    std::vector<std::string> files = all_files_of(root);
    std::erase_if(files, [](const std::string& file) {
        return !file.ends_with(".hpp") && !file.ends_with(".cpp");
    });
    return files;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

// One made-up file with one line.
std::string complaint(const char* file, const char* line) {
    return joined(complaints_about(file, std::string(line) + "\n"));
}

TEST(Tree, EachRoomUsesOnlyRoomsBelowIt) {
    const auto files = files_of(ZCRXLAB_SOURCE_DIR);
    ASSERT_GT(files.size(), 50U) << "the tree was not found at " << ZCRXLAB_SOURCE_DIR;
    for (const std::string& file : files) {
        const auto complaints = complaints_about(file, read(fs::path(ZCRXLAB_SOURCE_DIR) / file));
        EXPECT_TRUE(complaints.empty()) << joined(complaints);
    }
}

// What nobody can take in at a glance is two rooms.
TEST(Tree, NoFolderHasMoreFilesThanAScreenHasLines) {
    std::map<std::string, size_t> files_in;
    for (const std::string& file : files_of(ZCRXLAB_SOURCE_DIR))
        ++files_in[fs::path(file).parent_path()];
    ASSERT_GT(files_in["nic/wire"], 10U);
    // A chapter is a file, however many there are.
    files_in.erase("scenarios/chapters");
    for (const auto& [folder, files] : files_in) EXPECT_LE(files, 40U) << folder;
}

// A room that holds a quarter of everything is a hall.
TEST(Tree, NoRoomHoldsAQuarterOfTheLines) {
    std::map<std::string, size_t> lines_in;
    size_t all = 0;
    for (const std::string& file : files_of(ZCRXLAB_SOURCE_DIR)) {
        const std::string room = file.substr(0, file.find('/'));
        if (room == "tests") continue;
        const std::string text = read(fs::path(ZCRXLAB_SOURCE_DIR) / file);
        const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
        lines_in[room] += lines;
        all += lines;
    }
    for (const auto& [room, lines] : lines_in)
        EXPECT_LT(lines * 4, all) << room << " has " << lines << " of " << all << " lines";
}

TEST(Tree, OnlyTheTableKnowsNicsByName) {
    const fs::path root = ZCRXLAB_SOURCE_DIR;
    const auto names = nic_names(read(root / "harness/nics/nic_table.cpp"));
    for (const char* name : {"gve", "netdevsim", "netdevsim-stock", "nodev"})
        EXPECT_EQ(std::ranges::count(names, name), 1) << name;
    for (const std::string& file : all_files_of(root)) {
        const auto complaints = complaints_about_nic_names(file, read(root / file), names);
        EXPECT_TRUE(complaints.empty()) << joined(complaints);
    }
}

TEST(NicNames, AreFoundWhereTheyAreCompared) {
    const std::vector<std::string> names{"gve", "nodev"};
    const auto about = [&](const char* file, const char* line) {
        return joined(complaints_about_nic_names(file, line, names));
    };
    EXPECT_EQ(about("vm/options.cpp", "\nif (nic == \"gve\") return;\n"),
              "vm/options.cpp:2: names the NIC gve; read its row in harness/nics\n");
    EXPECT_NE(about("cli/x.cpp", "{\"nodev|gve\"}"), "");
    EXPECT_NE(about("vm/zcrxlab", "case \"gve\" in"), "");
    EXPECT_EQ(about("cli/x.cpp", "type: --nic gve\""), "");
    EXPECT_EQ(about("harness/nics/nic_table.cpp", "\"gve\""), "");
    EXPECT_EQ(about("nic/models/models.cpp", "\"gve\""), "");
    EXPECT_EQ(nic_names(".name = \"a\", .x\n .name = \"b\", .argument = \"C\"\n .name = \"d\""),
              (std::vector<std::string>{"a", "d"}));
}

TEST(Table, GoesFromTheBottomUp) {
    EXPECT_EQ(joined(complaints_about_table(rooms())), "");
    const std::vector<Room> upside_down = {{"a", {"b"}, {}, ""}, {"b", {}, {}, ""}};
    EXPECT_EQ(joined(complaints_about_table(upside_down)), "a may use b, which is not below it\n");
}

TEST(Table, LongestPathIsTheRoom) {
    EXPECT_EQ(room_of("nic/models/gve/gve_device.cpp")->path, "nic/models");
    EXPECT_EQ(room_of("nic/dma.hpp")->path, "nic");
    EXPECT_EQ(room_of("nic/program/main.cpp")->path, "nic/program");
    EXPECT_EQ(room_of("scenarios/framework/scene.cpp")->path, "scenarios/framework");
    EXPECT_EQ(room_of("nickel/x.cpp"), nullptr);
    EXPECT_EQ(room_of("elsewhere/x.cpp"), nullptr);
}

TEST(Layering, BrokenIncludesAreNoticed) {
    EXPECT_EQ(
        complaint("nic/transport/server.cpp", "#include \"nic/models/gve/regs.hpp\""),
        "nic/transport/server.cpp:1: nic/transport must not use nic/models: the transport has "
        "no idea of NICs, and the device none of sockets\n");
    EXPECT_NE(complaint("nic/models/gve/rx.cpp", "#include <sys/socket.h>"), "");
    EXPECT_NE(complaint("nic/models/gve/rx.cpp", "  #  include <netinet/tcp.h> // why"), "");
    EXPECT_NE(complaint("nic/models/gve/rx.cpp", "#include \"nic/transport/server.hpp\""), "");
    EXPECT_NE(complaint("nic/wire/x.cpp", "#include \"nic/models/gve/x.hpp\""), "");
    EXPECT_NE(complaint("scenarios/chapters/receive.cpp", "#include \"nic/dma.hpp\""), "");
    EXPECT_NE(complaint("scenarios/chapters/receive.cpp", "#include \"harness/lab/lab.hpp\""), "");
    EXPECT_NE(complaint("scenarios/framework/x.cpp", "#include \"scenarios/runner/one.hpp\""), "");
    EXPECT_NE(complaint("harness/oracle/stream.cpp", "#include \"harness/ring/ring.hpp\""), "");
    EXPECT_NE(complaint("harness/targets/x.cpp", "#include \"nic/control/server.hpp\""), "");
    EXPECT_NE(complaint("harness/net/x.cpp", "#include \"scenarios/framework/scene.hpp\""), "");
    EXPECT_NE(complaint("vm/watch/x.cpp", "#include \"nic/dma.hpp\""), "");
    EXPECT_NE(complaint("vm/watch/x.cpp", "#include \"vm/start/prepare.hpp\""), "");
    EXPECT_NE(complaint("kernels/x.cpp", "#include \"vm/watch/machine.hpp\""), "");
    EXPECT_NE(complaint("lists/to_c/x.cpp", "#include \"results/timeline/timeline.hpp\""), "");
    EXPECT_NE(complaint("harness/ring/x.cpp", "#include \"ring.hpp\""), "");
    EXPECT_NE(complaint("new/x.cpp", ""), "");
    EXPECT_NE(complaint("tests/harness/trace/x.cpp", "#include \"harness/oracle/oracle.hpp\""), "");
    EXPECT_NE(complaint("tests/nic/wire/x.cpp", "#include \"nic/transport/server.hpp\""), "");
}

TEST(Layering, GoodIncludesAreLeftAlone) {
    EXPECT_EQ(complaint("harness/oracle/stream.cpp", "#include \"harness/trace/event.hpp\""), "");
    EXPECT_EQ(complaint("nic/transport/server.cpp", "#include <sys/socket.h>"), "");
    EXPECT_EQ(complaint("nic/models/gve/rx.cpp", "#include <cstdint>"), "");
    EXPECT_EQ(complaint("nic/models/gve/rx.cpp", "// #include \"nic/transport/server.hpp\""), "");
    EXPECT_EQ(complaint("nic/program/main.cpp", "#include \"nic/models/gve/gve_device.hpp\""), "");
    EXPECT_EQ(complaint("cli/doctor/doctor.cpp", "#include \"vm/qemu/qemu_program.hpp\""), "");
    EXPECT_EQ(complaint("tests/nic/models/gve/x.cpp", "#include \"tests/fuzz/program.hpp\""), "");
    EXPECT_EQ(complaint("tests/nic/program/x.cpp", "#include \"tests/nic/wire/y.hpp\""), "");
    EXPECT_NE(complaint("tests/nic/models/gve/x.cpp", "#include \"tests/nic/wire/y.hpp\""), "");
    EXPECT_EQ(complaint("tests/nic/models/gve/x.cpp", "#include \"tests/fakes/fake_dma.hpp\""), "");
    EXPECT_EQ(complaint("tests/nic/models/gve/x.cpp", "#include \"tests/nic/models/gve/y.hpp\""),
              "");
    EXPECT_EQ(complaint("tests/nic/models/gve/x.cpp", "#include <sys/socket.h>"), "");
    EXPECT_EQ(complaint("tests/kernels/x.cpp", "#include \"kernels/release.hpp\""), "");
    EXPECT_EQ(complaint("tests/harness/oracle/x.cpp", "#include \"harness/trace/event.hpp\""), "");
}

}  // namespace
}  // namespace zcrxlab
