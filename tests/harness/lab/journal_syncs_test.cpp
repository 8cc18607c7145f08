// What is on the disk when the journal says that it is: fsync() is ours in this program, notes what
// it is called for, and fails if a test wants that.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "harness/lab/journal.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

struct Sync {
    bool folder = false;
    off_t size = 0;  // of a file, in bytes
    bool operator==(const Sync&) const = default;
};

struct Disk {
    std::vector<Sync> syncs;
    int error = 0;  // that each of them ends with
};
Disk* watched = nullptr;  // while a test looks

Journal of_a_function() {
    Journal journal;
    PciFunction function;
    function.address = "0000:3b:00.0";
    journal.functions = {function};
    return journal;
}

class JournalSyncs : public testing::Test {
  protected:
    JournalSyncs() { watched = &disk_; }
    ~JournalSyncs() override { watched = nullptr; }

    Result<JournalFile> hold() const { return JournalFile::hold(folder_.path() / "eth0.json"); }

    TemporaryFolder folder_;
    Disk disk_;
};

TEST_F(JournalSyncs, TheNameFirstThenAllOfTheTextThenNothingOfIt) {
    auto file = hold();
    ASSERT_TRUE(file) << file.error().sentence;
    ASSERT_TRUE(file->write(of_a_function()));
    const auto size = static_cast<off_t>(to_json(of_a_function()).size());
    EXPECT_EQ(disk_.syncs, (std::vector<Sync>{{true, 0}, {false, size}}));
    disk_.syncs.clear();
    ASSERT_TRUE(file->clear());
    EXPECT_EQ(disk_.syncs, (std::vector<Sync>{{false, 0}}));
}

// Nothing is changed behind such a journal.
TEST_F(JournalSyncs, ADiskThatFailsIsAnError) {
    auto file = hold();
    ASSERT_TRUE(file) << file.error().sentence;
    disk_.error = EIO;
    EXPECT_EQ(file->write(of_a_function()).error().code, EIO);
    EXPECT_EQ(file->clear().error().code, EIO);
    EXPECT_EQ(JournalFile::hold(folder_.path() / "eth1.json").error().code, EIO);
}

}  // namespace

// For the C function below, which is in no namespace.
int note_sync(int fd) {
    struct stat status {};
    if (watched != nullptr && ::fstat(fd, &status) == 0) {
        const bool folder = S_ISDIR(status.st_mode);
        watched->syncs.push_back({folder, folder ? 0 : status.st_size});
        if (watched->error != 0) {
            errno = watched->error;
            return -1;
        }
    }
    return static_cast<int>(::syscall(SYS_fsync, fd));
}

}  // namespace zcrxlab

// In the place of the C library's.
extern "C" int fsync(int fd) {
    return zcrxlab::note_sync(fd);
}
