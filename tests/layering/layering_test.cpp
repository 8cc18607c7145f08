// The tree keeps its layering; and includes that break it are noticed.
#include "tests/layering/layering.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// C++ files below the root, relative to it; build folders and hidden ones are not ours.
std::vector<std::string> files_of(const fs::path& root) {
    std::vector<std::string> files;
    for (auto it = fs::recursive_directory_iterator(root); it != fs::end(it); ++it) {
        const std::string name = it->path().filename();
        if (it->is_directory() && (name[0] == '.' || name.rfind("build", 0) == 0))
            it.disable_recursion_pending();
        else if (it->is_regular_file() && (name.ends_with(".hpp") || name.ends_with(".cpp")))
            files.push_back(fs::relative(it->path(), root));
    }
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

TEST(Table, GoesFromTheBottomUp) {
    EXPECT_EQ(joined(complaints_about_table(rooms())), "");
    const std::vector<Room> upside_down = {{"a", {"b"}, {}, ""}, {"b", {}, {}, ""}};
    EXPECT_EQ(joined(complaints_about_table(upside_down)), "a may use b, which is not below it\n");
}

TEST(Table, LongestPathIsTheRoom) {
    EXPECT_EQ(room_of("vm/nic/gve/gve_device.cpp")->path, "vm/nic/gve");
    EXPECT_EQ(room_of("vm/nic/dma.hpp")->path, "vm/nic");
    EXPECT_EQ(room_of("vm/nic/main.cpp")->path, "vm/nic/main.");
    EXPECT_EQ(room_of("vm/nic/mainly.cpp")->path, "vm/nic");
    EXPECT_EQ(room_of("scenarios/form/scene.cpp")->path, "scenarios");
    EXPECT_EQ(room_of("elsewhere/x.cpp"), nullptr);
}

TEST(Layering, BrokenIncludesAreNoticed) {
    EXPECT_EQ(complaint("vm/nic/vfio_user/server.cpp", "#include \"vm/nic/gve/regs.hpp\""),
              "vm/nic/vfio_user/server.cpp:1: vm/nic/vfio_user must not use vm/nic/gve: the "
              "transport has no idea of NICs, and the device none of sockets\n");
    EXPECT_NE(complaint("vm/nic/gve/rx.cpp", "#include <sys/socket.h>"), "");
    EXPECT_NE(complaint("vm/nic/gve/rx.cpp", "  #  include <netinet/tcp.h> // why"), "");
    EXPECT_NE(complaint("vm/nic/gve/rx.cpp", "#include \"vm/nic/vfio_user/server.hpp\""), "");
    EXPECT_NE(complaint("vm/nic/wire/x.cpp", "#include \"vm/nic/gve/x.hpp\""), "");
    EXPECT_NE(complaint("scenarios/receive.cpp", "#include \"vm/nic/dma.hpp\""), "");
    EXPECT_NE(complaint("harness/oracle/stream.cpp", "#include \"harness/ring/ring.hpp\""), "");
    EXPECT_NE(complaint("harness/target/x.cpp", "#include \"vm/nic/control/server.hpp\""), "");
    EXPECT_NE(complaint("harness/net/x.cpp", "#include \"scenarios/form/scene.hpp\""), "");
    EXPECT_NE(complaint("vm/boot/x.cpp", "#include \"vm/nic/dma.hpp\""), "");
    EXPECT_NE(complaint("vm/kernel/x.cpp", "#include \"vm/boot/machine.hpp\""), "");
    EXPECT_NE(complaint("harness/ring/x.cpp", "#include \"ring.hpp\""), "");
    EXPECT_NE(complaint("new/x.cpp", ""), "");
    EXPECT_NE(complaint("tests/harness/trace/x.cpp", "#include \"harness/oracle/oracle.hpp\""), "");
    EXPECT_NE(complaint("tests/vm/nic/wire/x.cpp", "#include \"vm/nic/vfio_user/server.hpp\""), "");
}

TEST(Layering, GoodIncludesAreLeftAlone) {
    EXPECT_EQ(complaint("harness/oracle/stream.cpp", "#include \"harness/trace/event.hpp\""), "");
    EXPECT_EQ(complaint("vm/nic/vfio_user/server.cpp", "#include <sys/socket.h>"), "");
    EXPECT_EQ(complaint("vm/nic/gve/rx.cpp", "#include <cstdint>"), "");
    EXPECT_EQ(complaint("vm/nic/gve/rx.cpp", "// #include \"vm/nic/vfio_user/server.hpp\""), "");
    EXPECT_EQ(complaint("vm/nic/main.cpp", "#include \"vm/nic/gve/gve_device.hpp\""), "");
    EXPECT_EQ(complaint("vm/kernel/doctor.cpp", "#include \"vm/boot/qemu_program.hpp\""), "");
    EXPECT_EQ(complaint("tests/vm/nic/gve/x.cpp", "#include \"tests/fakes/fake_dma.hpp\""), "");
    EXPECT_EQ(complaint("tests/vm/nic/gve/x.cpp", "#include \"tests/vm/nic/gve/y.hpp\""), "");
    EXPECT_EQ(complaint("tests/vm/nic/gve/x.cpp", "#include <sys/socket.h>"), "");
    EXPECT_EQ(complaint("tests/vm/kernel/x.cpp", "#include \"vm/kernel/doctor.hpp\""), "");
    EXPECT_EQ(complaint("tests/harness/oracle/x.cpp", "#include \"harness/trace/event.hpp\""), "");
}

}  // namespace
}  // namespace zcrxlab
