// Exported forms: C that a compiler takes without a word, recipients, the mail, and failures there
// and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "harness/report/sentences.hpp"
#include "lists/bundle/bundle.hpp"
#include "lists/bundle/failure.hpp"
#include "lists/bundle/words.hpp"
#include "lists/to_c/c_file.hpp"
#include "lists/verbs/row/row.hpp"
#include "tests/fakes/temporary_folder.hpp"

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

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// What the compiler says.
bool compiles(const std::string& text) {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "repro.c") << text;
    const std::string command = "cc -std=gnu11 -O1 -Wall -Wextra -Werror -c -o /dev/null " +
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
register huge ring=r area=4MiB memory=huge stats=yes
add_area huge area=2MiB memory=huge_memfd
add_area huge area=2MiB memory=transparent
connect six ifq=huge family=6
capacity huge
register worse ring=r reg.resv1=1 reg.area_ptr=0 reg.region_ptr=16 reg.event_desc=1 reg.arg=0 reg.count=2 area.resv1=3 region.addr=0 event.flags=1 event.type_mask=8 event.stats_offset=9 event.resv=1 expect=EFAULT
register bad ring=r reg.flags=0x10 area.offset=1 region.id=3 expect=EINVAL
connect never ifq=bad
fork p
kill p
process child
child: ring rc
child: register qc ring=rc
child: import qi ring=rc box=b
reap child
process other
other: ring ro
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
    EXPECT_TRUE(compiles(
        c_of("ring r defer=no\nregister q ring=r device=yes\nconnect s ifq=q route=loopback\n")));
}

TEST(CFile, SaysWhatIsExpectedFirst) {
    const std::string text = c_of("# title\n# expected: this\n# happens: that\nring r\n");
    EXPECT_EQ(text.find("/*\n * title\n *\n * Expected: this\n * What happens: that\n"), 0U)
        << text;
}

// What the list player does in the end, the C file does, too: else it takes for good what only
// shows when requests are cancelled and CQEs are read.
TEST(CFile, EndsAsThePlayerDoes) {
    const std::string text = c_of(R"(ring b
ring a
register q ring=a
ring told
close told
ring no cq=0x10000 expect=EINVAL
thread t
t: ring in_thread
thread joined
join joined
process p
p: ring in_process
process reaped
reap reaped
fork f
fork killed
kill killed
)");
    EXPECT_TRUE(compiles(text));
    EXPECT_NE(text.find("\tring_close(a, CANCEL);\n\tring_close(b, CANCEL);\n"
                        "\tpthread_join(t, NULL);\n\tkill_child(f);\n\treap_child(p);\n"
                        "\tputs("),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("\tring_close(in_thread, CANCEL);\n\treturn unused;\n}\n"),
              std::string::npos);
    EXPECT_NE(text.find("\tring_close(in_process, CANCEL);\n}\n"), std::string::npos);
    EXPECT_NE(text.find("\tring_close(told, LEAVE);\n"), std::string::npos);
    EXPECT_EQ(text.find("ring_close(told, CANCEL)"), std::string::npos);
    EXPECT_EQ(text.find("ring_close(no"), std::string::npos);
}

// A list with each verb, for those that the long one does not have.
const std::map<std::string_view, std::string_view> kListsByVerb = {
    {"urgent", "ring r\nregister q ring=r\nconnect s ifq=q\nsend s bytes=9\nurgent s\n"},
    {"refuse", "ring r\nregister q ring=r\nconnect s ifq=q\nrefuse s as=ring expect=ENOTSOCK\n"},
    {"count",
     "ring r\nregister q ring=r\nconnect s ifq=q\ncount s finals=0\ncount s requests=1 least=2\n"},
    {"buffers", "ring r\nregister q ring=r\nbuffers q held=0 entries=0\n"},
    {"capacity", "ring r\nregister q ring=r\ncapacity q\n"},
    {"nic", "nic mtu=1500 rx=512 queues=2\nnic mtu=9999 expect=EINVAL\n"},
    {"fault", "fault {\"what\":\"drop\"}\n"},
    {"link", "link up=no\n"},
    {"reset", "reset\n"},
    {"remove", "remove how=driver\n"},
    {"rescan", "remove how=device\nrescan\n"}};

// A new verb is in one of these lists, or this fails; and it has an export or says why not.
TEST(CFile, HasEveryVerbOrSaysWhyNot) {
    const ActionList much = parsed(kMuch);
    for (const VerbForm& form : verb_forms()) {
        const bool in_much = std::ranges::any_of(
            much.actions, [&](const Action& action) { return action.verb == form.verb; });
        const auto own = kListsByVerb.find(form.word);
        EXPECT_TRUE(in_much || own != kListsByVerb.end())
            << "give the verb " << form.word << " a list here";
        if (own == kListsByVerb.end()) continue;
        const Result<std::string> made = to_c(parsed(own->second), {});
        const std::string_view why = row_of(form.verb).in_c.why_not();
        EXPECT_EQ(static_cast<bool>(made), why.empty()) << form.word;
        if (made) {
            EXPECT_TRUE(compiles(*made)) << form.word;
            continue;
        }
        EXPECT_NE(made.error().sentence.find(why), std::string::npos) << made.error().sentence;
        EXPECT_NE(made.error().sentence.find("--as script, or --as bundle"), std::string::npos);
    }
}

TEST(CFile, SaysWhatIsTooMuchForC) {
    for (const char* list :
         {"nic split=off", "ring r\nregister q ring=r device=yes\nconnect s ifq=q route=any",
          "remove\nrescan\nring r\nregister q ring=r device=yes",
          "ring r\nregister q ring=r device=yes\nregister q2 ring=r device=yes"}) {
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
    const std::string script = to_script(failure);
    EXPECT_NE(
        script.find("\nkernel='7.2.6'\n\"$zcrxlab\" run --kernel \"${KERNEL:-$kernel}\" --nic "
                    "'gve'"),
        std::string::npos)
        << script;
    EXPECT_NE(script.find("# This script was not run"), std::string::npos);
    failure.seen = {{"script", "7.2.6", "bad", "it fails"}, {"c", "7.2.6", "good", ""}};
    EXPECT_NE(to_script(failure).find("run:\n#     7.2.6: bad (it fails)\nset -eu\n"),
              std::string::npos)
        << to_script(failure);
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

TEST(Bundle, AsksThoseWhoseFilesTheSplatNames) {
    const std::string maintainers = std::string(kMaintainers) +
                                    "\nGOOGLE ETHERNET DRIVERS\nM:\tSome One <one@example.org>\n" +
                                    "L:\tnetdev@vger.kernel.org\nF:\tdrivers/net/ethernet/google\n";
    Failure failure;
    failure.nic = "gve";
    failure.list = parsed("ring r\nregister q ring=r device=yes\n");
    const auto files = files_of(failure, "x+0x1/0x2 (/build/linux/net/core/skbuff.c:12)\n");
    EXPECT_EQ(files, (std::vector<std::string>{"io_uring/zcrx.c",
                                               "drivers/net/ethernet/google/gve/gve_main.c",
                                               "net/core/page_pool.c", "net/core/skbuff.c"}));
    const Recipients found = recipients_from(maintainers, files);
    EXPECT_EQ(found.to.back(), "Some One <one@example.org>");
    EXPECT_EQ(std::ranges::count(found.to, "Nobody <nobody@example.org>"), 0)
        << "drivers/ is for everybody";
    const auto without_nic = recipients_from(maintainers, files_of({}, ""));
    EXPECT_EQ(without_nic.to.size(), 2U);
}

TEST(Bundle, SendsSecurityBugsElsewhere) {
    Failure failure;
    failure.list = parsed("# title\nring r\n");
    failure.bad = {"7.2.6", "7.2.9"};
    BundleOptions options;
    options.security = true;
    const std::string mail = mail_for(failure, "int main;\n", "", usual_recipients(), options);
    EXPECT_EQ(mail.find("To: security@kernel.org\nSubject: [BUG] io_uring/zcrx: title (7.2.6)\n"),
              0U);
    EXPECT_EQ(mail.find("vger"), std::string::npos);
    EXPECT_NE(mail.find("Seen on: 7.2.6, 7.2.9\n"), std::string::npos);
    options.security = false;
    const std::string open =
        mail_for(failure, "", "it needs a fault.", usual_recipients(), options);
    EXPECT_NE(open.find("io-uring@vger"), std::string::npos);
    EXPECT_NE(open.find("There is no C program for it: it needs a fault."), std::string::npos);
}

// As a run on the machine that built us has it.
constexpr const char* kMessage =
    "lists/player/list_player_streams.cpp:224: Failed\n"
    "A CQE came that belongs to no request.\n"
    "I2 (every CQE is well formed) does not hold: a CQE of ring 3 has the user_data 7, to which "
    "nothing belongs that is under way\n"
    "I7 (the kernel log is clean) does not hold: the kernel log has a warning: WARNING: at x\n"
    "[    2.3] CPU: 0\n"
    "It claims: a list of actions keeps all invariants.";

TEST(Bundle, SaysWhatHappensInSentences) {
    EXPECT_EQ(
        sentences_of(kMessage),
        (std::vector<std::string>{
            "A CQE came that belongs to no request.",
            "A CQE of ring 3 has the user_data 7, to which nothing belongs that is under way.",
            "The kernel log has a warning: WARNING: at x."}));
    EXPECT_EQ(promise_in(kMessage), "every CQE is well formed.");
    EXPECT_EQ(sentences_of("x.cpp:3: Failure\nValue of: a\n  Actual: false\nExpected: true"),
              (std::vector<std::string>{"Value of: a. Actual: false", "Expected: true."}));
    EXPECT_TRUE(sentences_of("It claims: nothing.").empty());
}

TEST(Bundle, HasATitleForAMailingList) {
    Failure failure;
    failure.list = parsed("# random list 21 of seed 5\nring r\n");
    failure.message = "I2 (every CQE is well formed) does not hold: x";
    EXPECT_EQ(title_of(failure), "a CQE is wrong, or belongs to no request");
    failure.splat =
        "[   12.3] WARNING: io_uring/zcrx.c:301 at io_zcrx_return_niov+0x12/0x80, CPU#0: "
        "zcrx/123\n";
    EXPECT_EQ(title_of(failure), "WARNING: io_uring/zcrx.c:301 at io_zcrx_return_niov+0x12/0x80");
    failure.splat =
        "WARNING: CPU: 0 PID: 12 at io_uring/zcrx.c:301 io_zcrx_return_niov+0x12/0x80\n";
    EXPECT_EQ(title_of(failure), "WARNING: at io_uring/zcrx.c:301 io_zcrx_return_niov+0x12/0x80");
    failure.list = parsed("# a person's words\nring r\n");
    EXPECT_EQ(title_of(failure), "a person's words");
}

// Nothing of ours that says nothing to others, and nothing that was not seen.
TEST(Bundle, ClaimsOnlyWhatWasSeen) {
    Failure failure;
    failure.list = parsed("# random list 21 of seed 5\nring r\n");
    failure.message = kMessage;
    failure.kernel = "7.2.12+deb13-cloud-amd64";
    const auto mail = [&] {
        const std::string c_file = *to_c(failure.list, c_text_of(failure));
        return mail_for(failure, c_file, "", usual_recipients(), {});
    };
    const auto says = [&](const std::string& words) {
        const std::string text = mail();
        // Wherever its lines are broken.
        std::string flat;
        for (const char c : text) flat += c == '\n' ? ' ' : c;
        return flat.find(words) != std::string::npos;
    };
    for (const char* ours : {"random list", "It claims", "list_player", "I2 (", " request A CQE"})
        EXPECT_FALSE(says(ours)) << ours << "\n" << mail();
    EXPECT_TRUE(says("Subject: [BUG] io_uring/zcrx: the kernel complains in its log (7.2.12) "))
        << mail();
    EXPECT_TRUE(says("Expected: every CQE is well formed. "));
    EXPECT_TRUE(says("It was not run before it was sent.")) << mail();
    EXPECT_TRUE(says("* This program was not run"));
    EXPECT_FALSE(says("Seen on:"));
    EXPECT_FALSE(says("Not seen on:"));

    failure.seen = {{"c", "7.2.12", "bad", "BUG: x"}, {"c", "7.3.4", "good", "as expected"}};
    EXPECT_TRUE(says("Seen on: 7.2.12 Not seen on: 7.3.4 ")) << mail();
    EXPECT_TRUE(says("Where it was run: 7.2.12: bad (BUG: x); 7.3.4: good (as expected)."));
    EXPECT_TRUE(says("*     7.3.4: good (as expected)"));

    failure.seen = {{"c", "7.2.12", "good", "as expected"}};
    failure.bad = {"7.2.12"};
    EXPECT_TRUE(says("Seen on: 7.2.12 "));
    EXPECT_FALSE(says("Not seen on:")) << "as a list it was seen there";
    EXPECT_TRUE(says("It did not show the bug where it was run: 7.2.12: good")) << mail();
}

// Built anywhere, a message has the same names: no path of the machine that built us.
TEST(Bundle, NamesSourcesAsTheTreeDoes) {
    EXPECT_EQ(std::string_view(__FILE__), "tests/lists/bundle/repro_test.cpp");
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
    failure.seen = {{"c", "7.2.6", "bad", "BUG: x"}};
    BundleOptions options;
    options.config = "CONFIG_X=y\n";
    options.splat = "WARNING: CPU: 0 (io_uring/zcrx.c:12)\n";
    options.splat_note = "Places are those of vmlinux.";
    ASSERT_TRUE(write_bundle(failure, options, folder.path() / "b"));
    EXPECT_NE(text_of(folder.path() / "b" / "mail.txt").find("(io_uring/zcrx.c:12)"),
              std::string::npos);
    EXPECT_NE(text_of(folder.path() / "b" / "splat.txt").find("# Places are"), std::string::npos);
    EXPECT_NE(text_of(folder.path() / "b" / "settings.txt").find("register q ring=r"),
              std::string::npos);
    for (const char* name : {"list.actions", "failure.json", "repro.c", "repro.sh", "mail.txt",
                             "splat.txt", "config", "settings.txt"})
        EXPECT_TRUE(fs::exists(folder.path() / "b" / name)) << name;
    const Result<Failure> again = read_failure(folder.path() / "b");
    ASSERT_TRUE(again) << again.error().sentence;
    EXPECT_EQ(again->list, failure.list);
    EXPECT_EQ(again->fingerprint, failure.fingerprint);
    EXPECT_EQ(again->bad, failure.bad);
    ASSERT_EQ(again->seen.size(), 1U);
    EXPECT_EQ(again->seen[0].said, "BUG: x");
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

// Of the suite; only what no C program can do is left out of C.
TEST(Suite, ListsAreReadAsTheyAreAndGoIntoC) {
    size_t lists = 0, in_c = 0;
    for (const auto& entry : fs::recursive_directory_iterator(ZCRXLAB_SUITE)) {
        if (entry.path().extension() != ".actions") continue;
        ++lists;
        const std::string text = text_of(entry.path());
        const ActionList list = parsed(text);
        EXPECT_EQ(to_text(list), text) << entry.path();
        const Result<std::string> made = to_c(list, {});
        in_c += made ? 1 : 0;
        EXPECT_TRUE(made || made.error().sentence.find("by a C file alone") != std::string::npos)
            << entry.path();
    }
    EXPECT_GT(lists, 70U);
    EXPECT_GT(in_c, lists / 2);
}

}  // namespace
}  // namespace zcrxlab
