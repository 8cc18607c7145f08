// Exported forms: C that a compiler takes without a word, recipients, the mail, and failures there
// and back.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fakes/temporary_folder.hpp"
#include "vm/repro/bundle.hpp"
#include "vm/repro/c_file.hpp"
#include "vm/repro/failure.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

ActionList parsed(std::string_view text) {
    Result<ActionList> list = actions_from_text(text);
    EXPECT_TRUE(list) << (list ? "" : list.error().sentence);
    return list ? *std::move(list) : ActionList{};
}

std::string c_of(std::string_view text) {
    const Result<std::string> made = to_c(parsed(text), {});
    EXPECT_TRUE(made) << (made ? "" : made.error().sentence);
    return made ? *made : "";
}

// What the compiler says.
bool compiles(const std::string& text) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "repro.c") << text;
    const std::string command =
        "cc -std=gnu11 -Wall -Wextra -Werror -Wno-unused-function "
        "-fsyntax-only " +
        (folder.path() / "repro.c").string();
    return std::system(command.c_str()) == 0;
}

// Every verb that C can have, and most parameters.
constexpr std::string_view kMuch = R"(# much
ring r sq=8 cq=16 cqes=mixed
register q ring=r area=64KiB memory=memfd rq=8 events=all rq_memory=kernel
add_area q area=8KiB
add_area q area=8KiB memory=repeated repeat=4KiB expect=any
connect s ifq=q mss=1000 receive_buffer=65536 send_buffer=65536
connect int ifq=q
send s bytes=60000 cut=1000,5
send int bytes=1
policy r returns=hold hold=3 rearm=no
arm s limit=100 poll_first=yes
wait s bytes=10 final=ENOSPC
cancel s
wait s queued=100 within=100
nop r count=3
submit r
run r quiet=10
return q count=2 order=newest as=twice
return q as=bad_index
return q as=bad_padding
return q as=bad_area
flush q expect=any
events q arm=copy expect=EINVAL
await q event=copy
export b ifq=q
ring main
import q2 ring=main box=b
connect s2 ifq=q2
arm s2
end s2 how=reset
end s
wait s eof=yes
register bad ring=r reg.flags=0x10 area.offset=1 region.id=3 expect=EINVAL
connect never ifq=bad
fork p
kill p
thread t
t: ring rt
t: register qt ring=rt
join t
pause ms=5
close main
)";

TEST(CFile, IsTakenByTheCompiler) {
    EXPECT_TRUE(compiles(c_of(kMuch)));
    for (const auto& entry : fs::directory_iterator(ZCRXLAB_LISTS)) {
        const Result<Failure> failure = read_failure(entry.path());
        ASSERT_TRUE(failure) << failure.error().sentence;
        const Result<std::string> text = to_c(failure->list, {});
        ASSERT_TRUE(text) << text.error().sentence;
        EXPECT_TRUE(compiles(*text)) << entry.path();
    }
}

TEST(CFile, HasOnlyWhatTheListNeeds) {
    const std::string text = c_of("ring r\nregister q ring=r\n");
    EXPECT_EQ(text.find("pthread"), std::string::npos);
    EXPECT_EQ(text.find("NETIF"), std::string::npos);
    EXPECT_FALSE(wants_device(text));
    EXPECT_NE(text.find("need(ZCRX_NODEV, 0);"), std::string::npos);
    const std::string on_nic = c_of("ring r\nregister q ring=r device=yes\n");
    EXPECT_TRUE(wants_device(on_nic));
    EXPECT_TRUE(compiles(on_nic));
}

TEST(CFile, SaysWhatIsExpectedFirst) {
    const std::string text = c_of("# title\n# expected: this\n# happens: that\nring r\n");
    EXPECT_EQ(text.find("/*\n * title\n *\n * Expected: this\n * What happens: that\n"), 0U)
        << text;
}

TEST(CFile, IsRefusedWhereCCannotDoIt) {
    for (const char* list : {"fault {\"what\":\"drop\"}", "reset", "link up=no", "nic mtu=1500",
                             "ring r\nregister q ring=r\ncapacity q"}) {
        const Result<std::string> made = to_c(parsed(list), {});
        ASSERT_FALSE(made) << list;
        EXPECT_NE(made.error().sentence.find("--as script"), std::string::npos);
    }
}

TEST(CFile, KeepsCommentsClosed) {
    const std::string text = c_of("# a */ int x; /* b\nring r\n");
    EXPECT_TRUE(compiles(text));
}

TEST(Script, HasTheListAndTheKernel) {
    Failure failure;
    failure.list = parsed("# it's broken\nring r\nfault {\"what\":\"drop\"}\n");
    failure.kernel = "7.2.6";
    failure.nic = "gve";
    const std::string script = to_script(failure, "zcrxlab");
    EXPECT_NE(script.find("--kernel '7.2.6' --nic 'gve'"), std::string::npos) << script;
    EXPECT_NE(script.find("fault {\"what\":\"drop\"}\nEND\n"), std::string::npos);
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "repro.sh") << script;
    EXPECT_EQ(std::system(("sh -n " + (folder.path() / "repro.sh").string()).c_str()), 0);
}

constexpr std::string_view kMaintainers = R"(IO_URING
M:	Jens Axboe <axboe@kernel.dk>
L:	io-uring@vger.kernel.org
F:	include/uapi/linux/io_uring.h
F:	io_uring/

IO_URING ZCRX
M:	Somebody Else <else@example.org>
L:	netdev@vger.kernel.org (moderated)
F:	io_uring/zcrx.c

OTHER THING
M:	Nobody <nobody@example.org>
F:	drivers/
)";

TEST(Bundle, FindsRecipients) {
    const Recipients found = recipients_from(std::string(kMaintainers), {"io_uring/zcrx.c"});
    EXPECT_EQ(found.to, (std::vector<std::string>{"Jens Axboe <axboe@kernel.dk>",
                                                  "Somebody Else <else@example.org>"}));
    EXPECT_EQ(found.cc,
              (std::vector<std::string>{"io-uring@vger.kernel.org", "netdev@vger.kernel.org"}));
}

TEST(Bundle, SendsSecurityBugsElsewhere) {
    Failure failure;
    failure.list = parsed("# title\nring r\n");
    failure.bad = {"7.2.6", "7.2.9"};
    const std::string mail = mail_for(failure, "int main;\n", usual_recipients(), true);
    EXPECT_EQ(mail.find("To: security@kernel.org\nSubject: [BUG] io_uring/zcrx: title\n"), 0U);
    EXPECT_EQ(mail.find("vger"), std::string::npos);
    EXPECT_NE(mail.find("Seen on: 7.2.6, 7.2.9\n"), std::string::npos);
    EXPECT_NE(mail_for(failure, "", usual_recipients(), false).find("io-uring@vger"),
              std::string::npos);
}

TEST(Bundle, IsAFolderThatCanBeReadAgain) {
    const TemporaryFolder folder;
    Failure failure;
    failure.list = parsed("# title\nring r\nregister q ring=r\n");
    failure.kernel = "7.2.6";
    failure.nic = "nodev";
    failure.fingerprint = "I1 wrong byte";
    failure.message = "I1 does not hold";
    failure.splat = "WARNING: CPU: 0";
    failure.bad = {"7.2.6"};
    ASSERT_TRUE(write_bundle(
        failure, {.zcrxlab = "zcrxlab", .tree = {}, .config = "CONFIG_X=y\n", .security = false},
        folder.path() / "b"));
    for (const char* name :
         {"list.actions", "failure.json", "repro.c", "repro.sh", "mail.txt", "splat.txt", "config"})
        EXPECT_TRUE(fs::exists(folder.path() / "b" / name)) << name;
    const Result<Failure> again = read_failure(folder.path() / "b");
    ASSERT_TRUE(again) << again.error().sentence;
    EXPECT_EQ(again->list, failure.list);
    EXPECT_EQ(again->fingerprint, failure.fingerprint);
    EXPECT_EQ(again->bad, failure.bad);
}

TEST(Failures, AreRefusedWithASentence) {
    const TemporaryFolder folder;
    EXPECT_FALSE(read_failure(folder.path() / "nothing"));
    fs::create_directories(folder.path() / "empty");
    EXPECT_FALSE(read_failure(folder.path() / "empty"));
    std::ofstream(folder.path() / "empty" / "list.actions") << "ring r\n";
    EXPECT_FALSE(read_failure(folder.path() / "empty"));
    std::ofstream(folder.path() / "empty" / "failure.json") << "[1";
    EXPECT_FALSE(read_failure(folder.path() / "empty"));
}

}  // namespace
}  // namespace zcrxlab
