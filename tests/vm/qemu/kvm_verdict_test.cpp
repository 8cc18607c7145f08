// A verdict is remembered for the boot in which it was found, and not for long.
#include "vm/qemu/kvm_verdict.hpp"

#include <gtest/gtest.h>

#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

// What has no program cannot be probed: the sentence tells whether it was.
const QemuProgram kNone{{"/no/such/qemu"}, "", ""};
const Error kDoesNotRun{EIO, "It did not run."};

class KvmVerdictTest : public testing::Test {
  protected:
    bool is_remembered() const {
        const auto said = verdict_.ask(kNone);
        return !said && said.error().sentence == kDoesNotRun.sentence;
    }

    TemporaryFolder folder_;
    const fs::path file_ = folder_.path() / "verdict";
    const KvmVerdict verdict_{file_};
};

TEST_F(KvmVerdictTest, ThatAGuestDoesNotRunIsRemembered) {
    EXPECT_FALSE(is_remembered());
    verdict_.remember(kDoesNotRun);
    EXPECT_TRUE(is_remembered());
    EXPECT_TRUE(is_remembered());
}

TEST_F(KvmVerdictTest, NothingElseIs) {
    verdict_.remember(kDoesNotRun);
    verdict_.remember({});
    EXPECT_FALSE(fs::exists(file_));
    verdict_.remember(kDoesNotRun);
    verdict_.remember(Error{EACCES, "It may not be used."});
    EXPECT_FALSE(fs::exists(file_));
}

TEST_F(KvmVerdictTest, NotForLongAndNotInAnotherBoot) {
    verdict_.remember(kDoesNotRun);
    const std::string text = folder_.read("verdict");
    folder_.write("verdict", "x" + text);
    EXPECT_FALSE(is_remembered());
    verdict_.remember(kDoesNotRun);
    fs::last_write_time(file_, fs::file_time_type::clock::now() - std::chrono::minutes(61));
    EXPECT_FALSE(is_remembered());
}

}  // namespace
}  // namespace zcrxlab
