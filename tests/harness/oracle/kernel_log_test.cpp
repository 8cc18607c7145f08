// I7: lines that kernels really print, bad and harmless.
#include "tests/harness/oracle/good_trace.hpp"

namespace zcrxlab {
namespace {

std::vector<Violation> judged(std::string line, uint8_t level = 4) {
    const std::vector<Event> events = {{1, KernelMessage{level, std::move(line)}}};
    return check_kernel_log(events);
}

struct Bad {
    const char* line;
    const char* what;
};

constexpr Bad kBad[] = {
    {"WARNING: CPU: 1 PID: 511 at net/core/page_pool.c:1229 "
     "page_pool_disable_direct_recycling+0x5/0x60",
     "a warning"},
    {"WARNING: net/core/page_pool.c:1229 at page_pool_disable_direct_recycling+0x5/0x60, CPU#1: "
     "x/511",
     "a warning"},
    {"[   12.345678] WARNING: CPU: 0 PID: 1 at io_uring/zcrx.c:123 io_foo+0x1/0x2", "a warning"},
    {"[   12.345678][  T511] WARNING: CPU: 0 PID: 1 at io_uring/zcrx.c:123", "a warning"},
    {"<4>[   12.345678] WARNING: CPU: 0 PID: 1 at io_uring/zcrx.c:123", "a warning"},
    {"DMA-API: gve 0000:00:04.0: mapping sg segment longer than device claims to support "
     "[len=8388608] [max=65536]",
     "DMA-API"},
    {"DMA-API: gve 0000:00:04.0: device driver frees DMA memory with different size", "DMA-API"},
    {"WARNING: possible circular locking dependency detected", "lockdep"},
    {"WARNING: possible recursive locking detected", "lockdep"},
    {"WARNING: suspicious RCU usage", "lockdep"},
    {"WARNING: inconsistent lock state", "lockdep"},
    {"WARNING: bad unlock balance detected!", "lockdep"},
    {"WARNING: lock held when returning to user space!", "lockdep"},
    {"[ INFO: possible circular locking dependency detected ]", "lockdep"},
    {"INFO: trying to register non-static key.", "lockdep"},
    {"net/core/dev.c:1 suspicious rcu_dereference_check() usage!", "lockdep"},
    {"INFO: task kworker/u8:3:45 blocked for more than 120 seconds.", "hung task"},
    {"rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:", "RCU stall"},
    {"rcu: INFO: rcu_sched self-detected stall on CPU", "RCU stall"},
    {"rcu: rcu_preempt kthread starved for 5250 jiffies! g1 f0x0", "RCU stall"},
    {"BUG: KASAN: slab-use-after-free in io_zcrx_return_niov+0x12/0x34", "KASAN"},
    {"BUG: KFENCE: out-of-bounds read in x", "KFENCE"},
    {"UBSAN: array-index-out-of-bounds in drivers/net/x.c:1:2", "UBSAN"},
    {"BUG: kernel NULL pointer dereference, address: 0000000000000008", "BUG"},
    {"BUG: unable to handle page fault for address: ffffc90000000000", "BUG"},
    {"BUG: sleeping function called from invalid context at mm/x.c:1", "BUG"},
    {"watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [x:1]", "BUG"},
    {"BUG kmalloc-64 (Not tainted): Poison overwritten", "slab corruption"},
    {"kernel BUG at net/core/skbuff.c:123!", "BUG"},
    {"Oops: 0000 [#1] PREEMPT SMP NOPTI", "oops"},
    {"Oops: general protection fault, probably for non-canonical address 0xdead: 0000 [#1] SMP",
     "oops"},
    {"Kernel panic - not syncing: Fatal exception", "panic"},
    {"refcount_t: underflow; use-after-free.", "reference count"},
    {"ref_tracker: netdev@0000 has 1/1 users at", "leaked reference"},
    {"unregister_netdevice: waiting for eth0 to become free. Usage count = 2", "leaked reference"},
    {"unreferenced object 0xffff888100000000 (size 64):", "kmemleak"},
    {"kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)", "kmemleak"},
    {"page_pool_release_retry() stalled pool shutdown: id 9, 12 inflight 60 sec", "page pool"},
    {"NETDEV WATCHDOG: CPU: 0: transmit queue 3 timed out 5000 ms", "transmit queue"},
    {"list_del corruption. prev->next should be ffff, but was 0", "corrupted list"},
    {"x: page allocation failure: order:4, mode:0xdc0", "lack of memory"},
    {"RIP: 0010:io_zcrx_recv_skb+0x12/0x300", "register dump"},
    {"Call Trace:", "call trace"},
};

// From the boot of stock kernels, and of our own making.
constexpr const char* kHarmless[] = {
    "Linux version 7.2.12+deb13-cloud-amd64 (debian-kernel@lists.debian.org)",
    "Command line: console=ttyS0 panic=-1 oops=panic panic_on_warn=0",
    "Kernel command line: console=ttyS0 panic=-1 oops=panic",
    "Spectre V2 : WARNING: Unprivileged eBPF is enabled with eIBRS on, data leaks possible",
    "RETBleed: WARNING: Spectre v2 mitigation leaves CPU vulnerable to RETBleed attacks",
    "WARNING! power/level is deprecated; use power/control instead",
    "rcu: Hierarchical RCU implementation.",
    "rcu: \tRCU restricting CPUs from NR_CPUS=512 to nr_cpu_ids=2.",
    "rcu: RCU calculated value of scheduler-enlistment delay is 25 jiffies.",
    "Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar",
    "kasan: KernelAddressSanitizer initialized",
    "kfence: initialized - using 2097152 bytes for 255 objects at 0x(____ptrval____)",
    "kmemleak: Kernel memory leak detector initialized (mem pool available: 15679)",
    "kmemleak: Automatic memory scanning thread started",
    "tsc: Fast TSC calibration failed",
    "DEBUG: nothing to see",
    "thermal: WARNING: CPU: 1 is warm",
    "[Firmware Bug]: TSC doesn't count with P0 frequency!",
    "ACPI BIOS Warning (bug): 32/64X length mismatch in FADT",
    "INFO: NMI handler (perf_event_nmi_handler) took too long to run: 1.2 msecs",
    "clocksource: timekeeping watchdog on CPU0: Marking clocksource 'tsc' as unstable",
    "gve 0000:00:05.0: GVE version 1.0.0",
    "gve 0000:00:05.0 eth0: Device link is up.",
    "eth0: renamed from ens5",
    "hrtimer: interrupt took 12345678 ns",
    "page_pool: creating pool",
    "traps: probe[12] general protection fault ip:55 sp:7f error:0 in probe[55+1]",
    "------------[ cut here ]------------",
    "zcrxlab: begin stream.one_byte/v4",
};

TEST(KernelLog, BadLinesAreFoundAndNamed) {
    for (const Bad& bad : kBad) {
        const auto violations = judged(bad.line);
        ASSERT_EQ(violations.size(), 1U) << bad.line;
        EXPECT_NE(violations[0].sentence.find(bad.what), std::string::npos)
            << violations[0].sentence;
    }
}

TEST(KernelLog, HarmlessLinesAreLeftAlone) {
    for (const char* line : kHarmless) EXPECT_EQ(text_of(judged(line)), "");
    for (const char* line : kHarmless)
        EXPECT_EQ(text_of(judged("[    1.234567] " + std::string(line), 6)), "");
    EXPECT_EQ(text_of(judged("")), "");
    EXPECT_EQ(text_of(judged("[")), "");
    EXPECT_EQ(text_of(judged("[[[[<<<")), "");
}

TEST(KernelLog, OneSplatIsReportedByItsHeadAndFurtherHeads) {
    const std::vector<Event> events = {
        {1, KernelMessage{4, "------------[ cut here ]------------"}},
        {2, KernelMessage{4, "WARNING: CPU: 0 PID: 1 at x.c:1 f+0x1/0x2"}},
        {3, KernelMessage{4, "RIP: 0010:f+0x1/0x2"}},
        {4, KernelMessage{4, "Call Trace:"}},
        {5, KernelMessage{4, "---[ end trace 0000000000000000 ]---"}},
        {6, KernelMessage{4, "refcount_t: underflow; use-after-free."}},
    };
    const auto violations = check_kernel_log(events);
    ASSERT_EQ(violations.size(), 2U) << text_of(violations);
    EXPECT_EQ(violations[0].event, 1U);
    EXPECT_EQ(violations[1].event, 5U);
}

TEST(KernelLog, CriticalLinesAndDriverErrorsCountByLevel) {
    EXPECT_EQ(text_of(judged("thermal: something is on fire", 3)), "");
    EXPECT_NE(text_of(judged("thermal: something is on fire", 2)).find("level 2"),
              std::string::npos);
    const char* error = "nic 0000:00:05.0 eth0: queue 3 is broken";
    EXPECT_EQ(text_of(judged(error, 4)), "");
    EXPECT_NE(text_of(judged(error, 3)).find("a driver's error"), std::string::npos);
    const std::vector<Event> with_fault = {{1, FaultInjected{"{}"}}, {2, KernelMessage{3, error}}};
    EXPECT_EQ(text_of(check_kernel_log(with_fault)), "");
}

// Some drivers report as an error that their link is down.
TEST(KernelLog, ADriverMayComplainThatItsLinkWasTakenAway) {
    const KernelMessage down{3, "nic 0000:00:05.0 eth0: NIC Link is Down"};
    const std::vector<Event> pulled = {{1, ActionDone{.action = "link up=no"}}, {2, down}};
    EXPECT_EQ(text_of(check_kernel_log(pulled)), "");
    const std::vector<Event> by_itself = {{1, ActionDone{.action = "linked"}}, {2, down}};
    EXPECT_NE(text_of(check_kernel_log(by_itself)).find("a driver's error"), std::string::npos);
}

TEST(KernelLog, WarningTurnsOnlyThisInvariantRed) {
    auto events = good_trace();
    nth<KernelMessage>(events) = {4, "WARNING: CPU: 0 PID: 1 at net/core/page_pool.c:12 f+0x1"};
    expect_only(Invariant::kI7, events,
                "the kernel log has a warning (WARN): WARNING: CPU: 0 PID: 1 at net/core");
}

}  // namespace
}  // namespace zcrxlab
