// I7: reports of KCSAN, as kernels write them: whose they are, and that none is lost.
#include "harness/oracle/data_races.hpp"

#include <fstream>
#include <sstream>

#include "tests/harness/oracle/good_trace.hpp"

namespace zcrxlab {
namespace {

// Documentation/dev-tools/kcsan.rst.
constexpr const char* kOfTheKernelsTest =
    R"(==================================================================
BUG: KCSAN: data-race in test_kernel_read / test_kernel_write

write to 0xffffffffc009a628 of 8 bytes by task 487 on cpu 0:
 test_kernel_write+0x1d/0x30
 access_thread+0x89/0xd0
 kthread+0x23e/0x260
 ret_from_fork+0x22/0x30

read to 0xffffffffc009a628 of 8 bytes by task 488 on cpu 6:
 test_kernel_read+0x10/0x20
 access_thread+0x89/0xd0
 kthread+0x23e/0x260
 ret_from_fork+0x22/0x30

value changed: 0x00000000000009a6 -> 0x00000000000009b2

Reported by Kernel Concurrency Sanitizer on:
CPU: 6 PID: 488 Comm: access_thread Not tainted 5.12.0-rc2+ #1
Hardware name: QEMU Standard PC (i440FX + PIIX, 1996), BIOS 1.14.0-2 04/01/2014
==================================================================)";

// 7.3.4, with the emulated gve.
constexpr const char* kOfADescriptor =
    R"(==================================================================
BUG: KCSAN: data-race in gve_rx_poll_dqo+0x16e/0x24c0

race at unknown origin, with read to 0xff1100000546ffc5 of 1 bytes by interrupt on cpu 1:
 gve_rx_poll_dqo+0x16e/0x24c0
 gve_napi_poll_dqo+0xbb/0x230
 __napi_poll+0x56/0x270
 net_rx_action+0x2cf/0x6c0
 handle_softirqs+0xbf/0x220
 irq_exit_rcu+0x4a/0xa0
 common_interrupt+0x82/0x90
 asm_common_interrupt+0x27/0x40
 _raw_spin_lock+0x0/0x90
 futex_wait_setup+0x9f/0x2d0
 __futex_wait+0x169/0x260
 futex_wait+0x7c/0x150
 do_futex+0x1cf/0x250
 __x64_sys_futex+0xc7/0x1b0
 x64_sys_call+0x4f1/0xa30
 do_syscall_64+0x7a/0x2d0
 entry_SYSCALL_64_after_hwframe+0x4b/0x53

value changed: 0x10 -> 0x50

Reported by Kernel Concurrency Sanitizer on:
CPU: 1 UID: 0 PID: 911 Comm: zcrx-scenarios Tainted: G        W           7.3.4 #2 PREEMPTLAZY
Tainted: [W]=WARN
Hardware name: QEMU Standard PC (Q35 + ICH9, 2009), BIOS 1.17.0-debian-1.17.0-1~bpo13+1 04/01/2014
==================================================================)";

constexpr const char* kOfUnknownOrigin =
    R"(==================================================================
BUG: KCSAN: data-race in test_kernel_rmw_array+0x71/0xd0

race at unknown origin, with read to 0xffffffffc009bdb0 of 8 bytes by task 515 on cpu 2:
 test_kernel_rmw_array+0x71/0xd0
 access_thread+0x89/0xd0
 kthread+0x23e/0x260
 ret_from_fork+0x22/0x30

value changed: 0x0000000000002328 -> 0x0000000000002329

Reported by Kernel Concurrency Sanitizer on:
CPU: 2 PID: 515 Comm: access_thread Not tainted 5.12.0-rc2+ #1
Hardware name: QEMU Standard PC (i440FX + PIIX, 1996), BIOS 1.14.0-2 04/01/2014
==================================================================)";

std::string with(std::string text, const std::string& old, const std::string& put) {
    for (size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + put.size()))
        text.replace(at, old.size(), put);
    return text;
}

// Its lines, as the runner reads them.
std::vector<Event> log_of(const std::string& text) {
    std::vector<Event> events;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        events.push_back({1, KernelMessage{3, "[   12.345678] " + line}});
    return events;
}

std::vector<KernelMessage> messages_of(const std::string& text) {
    std::vector<KernelMessage> messages;
    for (const Event& event : log_of(text)) messages.push_back(std::get<KernelMessage>(event.body));
    return messages;
}

std::string subject_in(const std::vector<Violation>& violations) {
    if (violations.size() != 1) return text_of(violations);
    const auto* told = std::get_if<RaceTold>(&violations[0].about);
    return told == nullptr ? violations[0].sentence : told->subject;
}

TEST(DataRaces, ThoseOfOtherPartsOfTheKernelAreShownAndBreakNothing) {
    EXPECT_EQ(text_of(check_kernel_log(log_of(kOfTheKernelsTest))), "");
    EXPECT_EQ(races_elsewhere(messages_of(kOfTheKernelsTest)),
              std::vector<std::string>{"BUG: KCSAN: data-race in test_kernel_read (read of 8 "
                                       "bytes) / test_kernel_write (write of 8 bytes)"});
    EXPECT_EQ(text_of(check_kernel_log(log_of(kOfUnknownOrigin))), "");
    EXPECT_EQ(races_elsewhere(messages_of(kOfUnknownOrigin)),
              std::vector<std::string>{"BUG: KCSAN: data-race in test_kernel_rmw_array (read of 8 "
                                       "bytes) / unknown"});
}

TEST(DataRaces, EitherSideMayBeOfZeroCopyReceive) {
    for (const char* side : {"test_kernel_read", "test_kernel_write"}) {
        const std::string ours = with(kOfTheKernelsTest, side, "io_pp_zc_alloc_netmems");
        EXPECT_NE(subject_in(check_kernel_log(log_of(ours))).find("io_pp_zc_alloc_netmems ("),
                  std::string::npos);
        EXPECT_TRUE(races_elsewhere(messages_of(ours)).empty());
    }
    EXPECT_EQ(subject_in(check_kernel_log(log_of(kOfADescriptor))),
              "BUG: KCSAN: data-race in gve_rx_poll_dqo (read of 1 bytes) / unknown");
}

// As one of 7.3.4 was: TCP's own, of a socket that is read by zero copy.
TEST(DataRaces, WhoCallsWhatAccessesIsNoMatter) {
    for (const char* caller : {"access_thread", "kthread"})
        EXPECT_EQ(
            text_of(check_kernel_log(log_of(with(kOfTheKernelsTest, caller, "io_zcrx_recv")))), "");
}

TEST(DataRaces, UnlessThatWorksOnMemoryOfItsCaller) {
    for (const char* function : {"xas_store", "__list_del_entry", "kfree", "memcpy"}) {
        const std::string text = with(kOfTheKernelsTest, "test_kernel_write", function);
        EXPECT_EQ(text_of(check_kernel_log(log_of(text))), "") << function;
        EXPECT_EQ(check_kernel_log(log_of(with(text, "access_thread", "zcrx_box_release"))).size(),
                  1U)
            << function;
        // No frame but these: nobody's.
        EXPECT_EQ(text_of(check_kernel_log(log_of(with(text, "access_thread", function)))), "");
    }
}

TEST(DataRaces, TheOrderOfTheTwoSidesIsNoMatter) {
    const std::string one = with(kOfTheKernelsTest, "test_kernel", "zcrx");
    const std::string other =
        with(with(with(one, "read to", "x to"), "write to", "read to"), "x to", "write to");
    const std::string swapped =
        with(with(with(other, " zcrx_read+", " x+"), " zcrx_write+", " zcrx_read+"), " x+",
             " zcrx_write+");
    EXPECT_EQ(subject_in(check_kernel_log(log_of(one))),
              subject_in(check_kernel_log(log_of(swapped))));
}

TEST(DataRaces, AnyLineMissingThatSaysWhoseItIsBreaksTheInvariant) {
    for (const char* text : {kOfTheKernelsTest, kOfUnknownOrigin}) {
        const std::vector<Event> whole = log_of(text);
        for (size_t left_out = 0; left_out < whole.size(); ++left_out) {
            std::vector<Event> events = whole;
            events.erase(events.begin() + static_cast<std::ptrdiff_t>(left_out));
            const std::string& line = std::get<KernelMessage>(whole[left_out].body).text;
            const bool needed = line.find("BUG: ") != std::string::npos ||
                                line.find(" by task ") != std::string::npos ||
                                line.find(" test_kernel_") != std::string::npos ||
                                line.find("Reported by") != std::string::npos;
            EXPECT_EQ(check_kernel_log(events).size(), needed ? 1U : 0U) << line;
        }
    }
}

TEST(DataRaces, AReportThatIsCutOffBreaksTheInvariant) {
    const std::vector<Event> whole = log_of(kOfTheKernelsTest);
    const size_t last = 17;  // the line "Reported by"
    for (size_t count = 2; count <= last; ++count) {
        const std::span<const Event> begin(whole.data(), count);
        const std::vector<Violation> violations = check_kernel_log(begin);
        ASSERT_EQ(violations.size(), 1U) << count;
        EXPECT_NE(violations[0].sentence.find("not whole"), std::string::npos);
    }
    // By the next one, too.
    std::vector<Event> two(whole.begin(), whole.begin() + 8);
    two.insert(two.end(), whole.begin(), whole.end());
    EXPECT_EQ(check_kernel_log(two).size(), 1U);
}

TEST(DataRaces, WhatIsNoReportThatWeKnowBreaksTheInvariant) {
    EXPECT_EQ(check_kernel_log(log_of("x: BUG: KCSAN: something else")).size(), 1U);
    EXPECT_EQ(check_kernel_log(log_of("BUG: KCSAN: something else")).size(), 1U);
    EXPECT_EQ(text_of(check_kernel_log(log_of("kcsan: enabled early"))), "");
    EXPECT_EQ(text_of(check_kernel_log(log_of("kcsan: selftest: 3/3 tests passed"))), "");
}

// Another processor may write in between.
TEST(DataRaces, ASplatWithinAReportIsFoundAndDoesNotHideIt) {
    std::vector<Event> events = log_of(with(kOfTheKernelsTest, "test_kernel", "zcrx"));
    events.insert(events.begin() + 6,
                  {1, KernelMessage{4, "WARNING: CPU: 1 PID: 1 at x.c:1 f+0x1/0x2"}});
    EXPECT_EQ(check_kernel_log(events).size(), 2U);
}

TEST(DataRaces, AReportThatBreaksNothingHidesNoOtherLine) {
    std::vector<Event> events = log_of(kOfTheKernelsTest);
    events.push_back({1, KernelMessage{2, "thermal: something is on fire"}});
    events.push_back({1, KernelMessage{4, "Call Trace:"}});
    EXPECT_EQ(check_kernel_log(events).size(), 2U);
}

TEST(DataRaces, AmongManyEachIsTold) {
    std::string text;
    for (int i = 0; i < 30; ++i)
        text += with(kOfTheKernelsTest, "test_kernel", "zcrx_" + std::to_string(i)) + "\n";
    const std::vector<Violation> violations = check_kernel_log(log_of(text));
    ASSERT_EQ(violations.size(), 30U);
    for (const Violation& violation : violations)
        EXPECT_TRUE(std::holds_alternative<RaceTold>(violation.about)) << violation.sentence;
}

TEST(DataRaces, AReaderKnowsThatTheRestIsToCome) {
    std::vector<KernelMessage> messages = messages_of(kOfTheKernelsTest);
    EXPECT_FALSE(end_inside_a_race(messages));
    messages.resize(10);
    EXPECT_TRUE(end_inside_a_race(messages));
    EXPECT_FALSE(end_inside_a_race({}));
}

// Functions of whole sources of kernel-config/coverage.scope, which names none of theirs; of 7.3.4.
constexpr const char* kOfWholeSources[] = {
    "io_pp_zc_alloc_netmems",
    "io_pp_zc_release_netmem",
    "io_pp_zc_init",
    "io_pp_zc_destroy",
    "io_pp_nl_fill",
    "io_pp_uninstall",
    "io_zcrx_recv",
    "io_zcrx_recv_skb",
    "io_zcrx_ctrl",
    "io_zcrx_return_niov",
    "io_zcrx_ring_refill",
    "io_zcrx_scrub",
    "io_zcrx_queue_cqe",
    "io_zcrx_get_region",
    "io_register_zcrx",
    "io_unregister_zcrx",
    "io_terminate_zcrx",
    "io_close_queue",
    "io_import_umem",
    "io_import_area",
    "import_zcrx",
    "zcrx_box_release",
    "zcrx_register_netdev",
    "zcrx_flush_rq",
    "zcrx_notif_tw",
    "__zcrx_create_area",
    "__bnxt_poll_work",
    "nsim_poll",
    "io_copy_page",
    "netdev_rx_queue_restart",
    "netif_mp_open_rxq",
    "netif_mp_close_rxq",
    "gve_rx_poll_dqo",
    "gve_rx_post_buffers_dqo",
    "gve_alloc_buffer",
    "gve_free_to_page_pool",
    "io_zcrx_recv_skb.part.0",
    "zcrx_return_buffers.constprop.0",
};

TEST(DataRaces, WhoseIsWhose) {
    for (const char* function : kOfWholeSources) EXPECT_TRUE(is_of_zero_copy(function)) << function;
    for (const char* function :
         {"", "io_recvmsg", "io_poll_wake", "tcp_recvmsg_locked", "__alloc_pages", "vnet_poll",
          "napi_complete_done", "rcu_core", "xio_zcrx"})
        EXPECT_FALSE(is_of_zero_copy(function)) << function;
}

TEST(DataRaces, EachFunctionOfTheScopeOfCoverageIsOfZeroCopy) {
    std::ifstream scope(ZCRXLAB_SOURCE_DIR "/kernel-config/coverage.scope");
    size_t count = 0;
    for (std::string line; std::getline(scope, line);) {
        if (!line.starts_with("    ")) continue;
        std::istringstream names(line);
        for (std::string name; names >> name; ++count) EXPECT_TRUE(is_of_zero_copy(name)) << name;
    }
    EXPECT_GT(count, 50U);
}

}  // namespace
}  // namespace zcrxlab
