// A cache that is not what it was when it was filled.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "harness/base/file.hpp"
#include "tests/chaos/sandbox.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

class DamagedCache : public Chaos {
  protected:
    // The file below the cache's `place` whose name begins with `name`.
    fs::path find(const std::string& place, const std::string& name) {
        for (const auto& entry : fs::recursive_directory_iterator(own_cache() / place))
            if (entry.is_regular_file() && entry.path().filename().string().starts_with(name))
                return entry.path();
        ADD_FAILURE() << "There is no " << name << " in the cache.";
        return {};
    }
    Ended run_one(const std::string& nic = "gve") {
        return run(
            {"zcrxlab", "run", "--nic", nic, "--filter", "receive.one_byte", "--out", out()});
    }
    // The run says what is damaged, fetches that anew, and passes; the next one fetches nothing.
    void is_fetched_anew(const std::string& named) {
        const Ended first = run_one();
        saw(first);
        EXPECT_EQ(first.code, 0) << first.output << first.error;
        EXPECT_NE(first.error.find(named), std::string::npos) << first.error;
        EXPECT_NE(first.error.find("t is fetched anew"), std::string::npos) << first.error;
        const Ended second = run_one();
        saw(second);
        EXPECT_EQ(second.code, 0) << second.output << second.error;
        EXPECT_EQ(second.error.find("fetch"), std::string::npos) << second.error;
        EXPECT_EQ(left(), "");
    }
    // Zeros in the middle of a file that is as long and as old as before.
    static void damage_secretly(const fs::path& file) {
        const auto time = fs::last_write_time(file);
        std::string bytes = text_of_file(file);
        std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 4), bytes.end(), '\0');
        ASSERT_TRUE(write_file(file, bytes));
        fs::last_write_time(file, time);
    }
};

TEST_F(DamagedCache, AKernelThatIsCutShort) {
    is("zcrxlab run, half of vmlinuz is gone", "said, fetched anew, passed");
    const fs::path file = find("kernels", "vmlinuz");
    fs::resize_file(file, fs::file_size(file) / 2);
    is_fetched_anew("is cut short");
}

TEST_F(DamagedCache, AKernelOfZeros) {
    is("zcrxlab run, vmlinuz is zeros behind its header", "said, fetched anew, passed");
    const fs::path file = find("kernels", "vmlinuz");
    std::string bytes = text_of_file(file);
    std::fill(bytes.begin() + 65536, bytes.end(), '\0');
    ASSERT_TRUE(write_file(file, bytes));
    is_fetched_anew("has another content");
}

TEST_F(DamagedCache, ADriverThatIsMissing) {
    is("zcrxlab run, gve.ko.xz is gone", "said, fetched anew, passed");
    fs::remove(find("kernels", "gve.ko"));
    is_fetched_anew("gve.ko.xz is missing");
}

TEST_F(DamagedCache, ALibraryThatIsCutShort) {
    is("zcrxlab run, half of QEMU's libglib is gone", "said, fetched anew, passed");
    const fs::path file = find("qemu", "libglib");
    fs::resize_file(file, fs::file_size(file) / 2);
    is_fetched_anew("libglib");
}

TEST_F(DamagedCache, ALibraryThatLooksWhole) {
    is("zcrxlab run, QEMU's libglib has zeros and its old size and time",
       "found after QEMU's death, fetched anew, the same run passes");
    damage_secretly(find("qemu", "libglib"));
    is_fetched_anew("the run starts again");
}

TEST_F(DamagedCache, DoctorReadsAll) {
    is("zcrxlab doctor, libglib and gve.ko.xz have zeros and their old sizes and times",
       "both named, and the next run fetches them");
    damage_secretly(find("qemu", "libglib"));
    damage_secretly(find("kernels", "gve.ko"));
    const Ended doctor = run({"zcrxlab", "doctor"});
    saw(doctor);
    for (const char* name : {"libglib", "gve.ko.xz"})
        EXPECT_NE(doctor.output.find(name), std::string::npos) << doctor.output;
    EXPECT_EQ(doctor.output.find("ok    QEMU"), std::string::npos) << doctor.output;
    is_fetched_anew("is not as it was fetched");
}

TEST_F(DamagedCache, ASavedGuestWhoseKernelIsCutShort) {
    is("zcrxlab run, the saved guest's kernel is cut short", "saved again, passed");
    own_cache();
    for (int i = 0; i < 2; ++i) EXPECT_EQ(run_one("nodev").code, 0);  // boots, is saved
    const fs::path file = find("saved", "vmlinux");
    fs::resize_file(file, fs::file_size(file) / 2);
    const Ended ended = run_one("nodev");
    saw(ended);
    EXPECT_EQ(ended.code, 0) << ended.output << ended.error;
    EXPECT_NE(ended.error.find("once; from now on"), std::string::npos) << ended.error;
}

TEST_F(DamagedCache, ANamedKernelThatIsCutShort) {
    is("zcrxlab run --kernel half-a-vmlinuz", "64 at once, with both lengths");
    const fs::path half = folder() / "vmlinuz";
    fs::copy_file(find("kernels", "vmlinuz"), half);
    fs::resize_file(half, fs::file_size(half) / 2);
    const Ended ended = run({"zcrxlab", "run", "--kernel", half, "--out", out()});
    saw(ended);
    EXPECT_EQ(ended.code, 64);
    EXPECT_NE(ended.error.find("is cut short"), std::string::npos) << ended.error;
}

}  // namespace
}  // namespace zcrxlab
