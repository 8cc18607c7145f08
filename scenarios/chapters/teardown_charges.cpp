// Chapter teardown: what is charged for an area, to its process and to its user.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <vector>

#include "harness/base/mapping.hpp"
#include "harness/net/counters.hpp"
#include "harness/ring/socket_queues.hpp"
#include "scenarios/framework/process.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/multi_ifq_ring.hpp"
#include "scenarios/framework/surroundings/huge_pages.hpp"
#include "scenarios/framework/surroundings/kernel_objects.hpp"

namespace zcrxlab::teardown_charges {
namespace {

using namespace std::chrono_literals;

constexpr auto kBound = 5s;  // promised, on a machine of the usual speed
// What is done so often leaves what it leaves in each round.
constexpr uint32_t kTimes = 64, kUsers = 32;
constexpr uint32_t kIfqOfChild = 100;

void allow_locked(Scene& scene, uint64_t bytes) {
    rlimit limit{};
    ::getrlimit(RLIMIT_MEMLOCK, &limit);
    limit.rlim_cur = bytes;
    if (::setrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        scene.give_up(error_from_errno("set RLIMIT_MEMLOCK").sentence);
}

// In kB, of this process.
int64_t charged(Scene& scene) {
    return scene.must(read_memory_counters()).pinned_kb;
}

// As a user without CAP_IPC_LOCK has it, who may lock an area and a half.
SCENARIO(teardown, charges, "what is charged for an area is given back with its ring",
         Terms(Needs{.queues = 1}).claims({"teardown.again", "teardown.accounting"})) {
    const WithoutCapability without(scene, CAP_IPC_LOCK);
    constexpr uint64_t kArea = 8_MiB;
    allow_locked(scene, kArea * 3 / 2);
    const IfqOptions first = small_ifq(scene);
    for (int i = 0; i < 4; ++i) {
        IfqOptions options = first;
        options.number = i == 0 ? first.number : scene.next_ifq();
        options.area_size = kArea;
        const int64_t before = charged(scene);
        {
            Ring ring = scene.must(Ring::create());
            const auto ifq = scene.must(Ifq::open(ring, options, &scene.trace()));
            EXPECT_GE(charged(scene) - before, int64_t{kArea / 1_KiB}) << "nothing is charged";
        }
        scene.trace().add(RingClosed{options.number});
        if (scene.has_device()) scene.wait_for_release(options.queue);
        ASSERT_TRUE(scene.becomes([&] { return charged(scene) == before; }, scene.scaled(kBound)))
            << charged(scene) - before << " kB stay charged";
    }
}

// What the kernel has charged to the user of this process (user_struct::locked_vm), in pages. No
// file shows that; but the kernel refuses a page more where RLIMIT_MEMLOCK leaves no room for it
// (io_uring/rsrc.c:__io_account_mem).
class ChargedToUser {
  public:
    // Up to `most` bytes are told; that is the limit when nobody asks.
    ChargedToUser(Scene& scene, uint64_t most)
        : scene_(scene),
          most_(most),
          ring_(scene.must(Ring::create())),
          page_(scene.must(Mapping::anonymous(kPageSize))) {}

    int64_t pages() {
        uint64_t refused = 0, taken = most_ / kPageSize;
        while (taken - refused > 1) {
            const uint64_t middle = (refused + taken) / 2;
            (has_room(middle) ? taken : refused) = middle;
        }
        allow_locked(scene_, most_);
        return static_cast<int64_t>(refused);
    }

  private:
    bool has_room(uint64_t pages) {
        allow_locked(scene_, pages * kPageSize);
        iovec buffer{page_.data(), kPageSize};
        const int registered = ring_.register_raw(IORING_REGISTER_BUFFERS, &buffer, 1);
        if (registered == -ENOMEM) return false;
        if (registered != 0)
            scene_.give_up(error_from_errno("register a buffer", -registered).sentence);
        ring_.register_raw(IORING_UNREGISTER_BUFFERS, nullptr, 0);
        return true;
    }

    Scene& scene_;
    uint64_t most_;
    Ring ring_;
    Mapping page_;
};

// Of nobody else, so that nothing but what happens here is charged to it.
constexpr uid_t kUser = 0x7a637278;

// Becomes another user, and keeps the capabilities.
void become(Scene& scene, uid_t user) {
    if (::prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP) != 0 ||
        ::setresuid(user, user, user) != 0)
        scene.give_up(error_from_errno("become another user").sentence);
}

// A process that fork_scene() made.
void expect_ends_well(pid_t child) {
    ASSERT_GE(child, 0);
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "The process of the other user failed.";
}

// Three areas of half of what the user may lock: what stays charged refuses the next one.
SCENARIO(
    teardown, charged_to_user,
    "a user is charged for each page of an area and its refill ring, and given it back with the "
    "ring",
    Terms(Needs{.queues = 1}).claims({"teardown.again", "teardown.accounting"})) {
    const IfqOptions first = small_ifq(scene);
    const pid_t child = fork_scene([&](Scene& own) {
        constexpr uint64_t kArea = 4_MiB, kAllowed = 2 * kArea;
        const bool has_device = own.has_device();
        become(own, kUser);
        const WithoutCapability without(own, CAP_IPC_LOCK);
        allow_locked(own, kAllowed);
        // Of a huge page all is charged.
        ASSERT_EQ(::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
        ChargedToUser charged(own, kAllowed);
        for (uint32_t i = 0; i < 3; ++i) {
            IfqOptions options = first;
            options.number = first.number + i;
            options.area_size = kArea;
            const int64_t before = charged.pages();
            {
                Ring ring = own.must(Ring::create());
                const int64_t for_ring = charged.pages();
                auto request = own.must(IfqRequest::prepare(options));
                const uint64_t size = kArea + request->region.size;
                const auto ifq = own.must(Ifq::open(ring, std::move(request), &own.trace()));
                EXPECT_EQ(charged.pages() - for_ring, static_cast<int64_t>(size / kPageSize))
                    << "are not what is charged to the user";
            }
            own.trace().add(RingClosed{options.number});
            if (has_device) own.wait_for_release(options.queue);
            int64_t after = 0;
            own.becomes([&] { return (after = charged.pages()) == before; }, own.scaled(kBound));
            own.trace().add(CounterCompared{"pages charged to the user", before, after});
        }
    });
    expect_ends_well(child);
}

SCENARIO(teardown, huge_pages_charged, "a user is charged for each huge page of an area once",
         Terms(Needs{.memory = 100U << 20}).claims({"teardown.accounting"})) {
    reserve_until_end(scene, kHugePagesOfScenarios);
    const IfqOptions first = small_ifq(scene);
    const pid_t child = fork_scene([&](Scene& own) {
        constexpr uint64_t kArea = 2 * kHugePageSize, kAllowed = 2 * kArea;
        become(own, kUser);
        const WithoutCapability without(own, CAP_IPC_LOCK);
        allow_locked(own, kAllowed);
        ChargedToUser charged(own, kAllowed);
        IfqOptions options = first;
        options.area_kind = AreaKind::kHugePages;
        options.area_size = kArea;
        Ring ring = own.must(Ring::create());
        const int64_t before = charged.pages();
        const auto request = own.must(IfqRequest::prepare(options));
        own.returned("a registration with huge pages", 0,
                     errno_of(register_raw(ring, &request->registration)));
        EXPECT_EQ(charged.pages() - before,
                  static_cast<int64_t>((kArea + request->region.size) / kPageSize));
    });
    expect_ends_well(child);
    if (scene.has_device()) scene.wait_for_release(first.queue);
}

// Beside what a ring is charged for, room for a refill ring and not for an area.
SCENARIO(teardown, refused_above_memlock,
         "an area that its user may not lock is refused, and leaves no object of the kernel",
         Terms(Needs{}).claims({"registration.memlock"})) {
    constexpr uint64_t kArea = 100 * kPageSize, kRoom = 16 * kPageSize;
    const IfqOptions first = small_ifq(scene);
    const pid_t child = fork_scene([&](Scene& own) {
        become(own, kUser);
        const WithoutCapability without(own, CAP_IPC_LOCK);
        constexpr uint64_t kAllowed = 4_MiB;
        allow_locked(own, kAllowed);
        ChargedToUser charged(own, kAllowed);
        IfqOptions options = first;
        options.area_size = kArea;
        Ring ring = own.must(Ring::create());
        const auto request = own.must(IfqRequest::prepare(options));
        const int64_t before = charged.pages();
        allow_locked(own, static_cast<uint64_t>(before) * kPageSize + kRoom);
        expect_leaves_no_objects(own, "an area above RLIMIT_MEMLOCK", kTimes, [&] {
            ASSERT_EQ(errno_of(register_raw(ring, &request->registration)), ENOMEM);
        });
        EXPECT_EQ(charged.pages(), before) << "pages are charged to the user";
    });
    expect_ends_well(child);
}

// Each is a user of its own, whom the kernel forgets with its last process.
SCENARIO(teardown, users_gone,
         "a process of another user that registers and ends leaves neither its memory nor its "
         "user with the kernel",
         Terms(Needs{.features = {Feature::kNodev}}).claims({"teardown.accounting"})) {
    uid_t user = kUser;
    expect_leaves_no_objects(scene, "a process of another user that registered", kUsers, [&] {
        ++user;
        const pid_t child = fork_scene([&](Scene& own) {
            become(own, user);
            // Whoever has it is not charged, and its user is not held.
            const WithoutCapability without(own, CAP_IPC_LOCK);
            IfqOptions options;
            options.number = kIfqOfChild;
            options.area_size = kSmallArea;
            options.rq_entries = 16;
            Ring ring = own.must(Ring::create());
            const auto request = own.must(IfqRequest::prepare(options));
            EXPECT_EQ(errno_of(register_raw(ring, &request->registration)), 0);
        });
        expect_ends_well(child);
    });
}

constexpr uint32_t kQueue = 1;
constexpr uint64_t kWaiting = 20000;  // bytes that lie in the socket

// Registers as that user, says so, and is killed.
void register_and_wait(Scene& own, int tell) {
    const bool has_device = own.has_device();
    become(own, kUser);
    const WithoutCapability without(own, CAP_IPC_LOCK);
    constexpr uint64_t kArea = 6_MiB;
    allow_locked(own, 2 * kArea);
    IfqOptions options;
    options.number = kIfqOfChild;
    options.area_size = kArea;
    if (has_device) {
        options.interface = own.endpoints().interface;
        options.queue = kQueue;
    }
    Ring ring = own.must(Ring::create());
    const auto ifq = own.must(Ifq::open(ring, options, &own.trace()));
    if (::write(tell, "r", 1) == 1)
        for (;;) ::pause();
}

// Nobody is left of that user, and what is charged to it is still to be given back.
SCENARIO(teardown, user_gone_with_data_in_socket,
         "an area whose buffers lie in a socket of another user outlives its user, and is then "
         "given back",
         Terms(Needs{.where = Where::kDevice, .queues = 1}).claims({"teardown.socket-buffers"})) {
    std::array<int, 2> tell{};
    ASSERT_EQ(::pipe2(tell.data(), O_CLOEXEC), 0);
    scene.prepare_nic();
    const pid_t child = fork_scene([&](Scene& own) { register_and_wait(own, tell[1]); });
    ASSERT_GE(child, 0);
    ::close(tell[1]);
    char told = 0;
    EXPECT_EQ(::read(tell[0], &told, 1), 1) << "The process of the other user did not register.";
    ::close(tell[0]);
    {
        TcpPair pair = connect_by_rule(scene, kQueue);
        const std::vector<std::byte> bytes(kWaiting);
        ASSERT_EQ(::send(pair.peer.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
        scene.wait_for("The bytes did not come to the socket.", [&] {
            return bytes_queued(pair.receiver.get()) == static_cast<int>(kWaiting);
        });
        ASSERT_EQ(::kill(child, SIGKILL), 0);
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        scene.wait_for(
            "The provider stays on its queue.",
            [&] { return !scene.must(scene.nic().netdev().receive_queue(kQueue)).io_uring; },
            scene.scaled(kBound));
        const auto pools = scene.must(scene.nic().netdev().page_pools());
        EXPECT_TRUE(std::any_of(pools.begin(), pools.end(), [](const PagePool& pool) {
            return pool.io_uring && pool.detach_time && pool.inflight > 0;
        })) << "nothing was kept, so that this shows nothing";
    }
    if (told != 0) scene.trace().add(RingClosed{kIfqOfChild, true});
    scene.wait_for_release(kQueue);
    IfqOptions again = small_ifq(scene);
    again.queue = kQueue;
    expect_registers(scene, again);
}

}  // namespace
}  // namespace zcrxlab::teardown_charges
