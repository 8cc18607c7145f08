// Chapter registration: who may register, and what is on the queue already.
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/resource.h>

#include <cerrno>
#include <thread>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"

namespace zcrxlab::registration_callers {
namespace {

int register_again(Ring& ring, IfqRequest& request) {
    return errno_of(register_raw(ring, &request.registration));
}

SCENARIO(registration, without_net_admin, "registration takes CAP_NET_ADMIN",
         Terms(Needs{}).claims({"registration.eperm"})) {
    const IfqOptions options = small_ifq(scene);
    {
        Ring ring = scene.must(Ring::create());
        const auto request = scene.must(IfqRequest::prepare(options));
        const WithoutCapability without(scene, CAP_NET_ADMIN);
        scene.returned("IORING_REGISTER_ZCRX_IFQ without CAP_NET_ADMIN", EPERM,
                       register_again(ring, *request));
    }
    expect_registers(scene, options);
}

SCENARIO(registration, import_without_net_admin,
         "an import takes CAP_NET_ADMIN, and control operations take none",
         Terms(Needs{.features = {Feature::kExport}})
             .claims({"registration.eperm-import", "registration.control-unprivileged"})) {
    const IfqOptions options = small_ifq(scene);
    {
        Ring ring = scene.must(Ring::create()), importer = scene.must(Ring::create());
        const auto ifq = scene.must(Ifq::open(ring, options, &scene.trace()));
        const WithoutCapability without(scene, CAP_NET_ADMIN);
        scene.must(ifq->flush());
        const Fd box = scene.must(ifq->export_box());
        const Result<uint32_t> imported = import_box(importer, box.get());
        scene.returned("an import without CAP_NET_ADMIN", EPERM,
                       imported ? 0 : imported.error().code);
    }
    scene.trace().add(RingClosed{options.number});
}

SCENARIO(registration, ring_of_another_task, "a ring that another task owns is not registered with",
         Terms(Needs{}).claims({"registration.foreign-ring"})) {
    const IfqOptions options = small_ifq(scene);
    {
        Ring ring = scene.must(Ring::create());
        const auto request = scene.must(IfqRequest::prepare(options));
        int seen = 0;
        std::thread([&] { seen = register_again(ring, *request); }).join();
        scene.returned("IORING_REGISTER_ZCRX_IFQ from another thread", EEXIST, seen);
    }
    expect_registers(scene, options);
}

SCENARIO(registration, above_memlock,
         "an area above RLIMIT_MEMLOCK is refused, and one below it is not",
         Terms(Needs{}).claims({"registration.memlock"})) {
    const WithoutCapability without(scene, CAP_IPC_LOCK);
    const rlimit limit{8U << 20, RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
    IfqOptions options = small_ifq(scene);
    options.area_size = 16U << 20;
    options.rq_entries = 16;
    {
        Ring ring = scene.must(Ring::create());
        const auto request = scene.must(IfqRequest::prepare(options));
        scene.returned("IORING_REGISTER_ZCRX_IFQ of 16 MiB with 8 MiB allowed", ENOMEM,
                       register_again(ring, *request));
    }
    options.area_size = 4U << 20;
    expect_registers(scene, options);
}

SCENARIO(registration, provider_there, "a queue that another ring has is refused",
         Terms(Needs{.where = Where::kDevice}).claims({"registration.provider-there"})) {
    const IfqOptions options = small_ifq(scene);
    {
        Ring ring = scene.must(Ring::create()), other = scene.must(Ring::create());
        const auto ifq = scene.must(Ifq::open(ring, options, &scene.trace()));
        const auto request = scene.must(IfqRequest::prepare(options));
        const int by_other = register_again(other, *request);
        scene.returned("IORING_REGISTER_ZCRX_IFQ on a bound queue", EEXIST, by_other);
        scene.done("ring other");
        tell_registration(scene, "by_other", "other", options, by_other);
        const int by_own = register_again(ring, *request);
        scene.returned("IORING_REGISTER_ZCRX_IFQ on a bound queue, by its own ring", EEXIST,
                       by_own);
        tell_registration(scene, "by_own", "r" + std::to_string(options.number), options, by_own);
    }
    scene.trace().add(RingClosed{options.number});
}

SCENARIO(registration, header_split_off, "a queue without header split is refused",
         Terms(Needs{.where = Where::kDevice}).claims({"registration.header-split"})) {
    const IfqOptions options = small_ifq(scene);
    scene.must(scene.nic().disable_header_split());
    {
        Ring ring = scene.must(Ring::create());
        const auto request = scene.must(IfqRequest::prepare(options));
        const int seen = register_again(ring, *request);
        scene.returned("IORING_REGISTER_ZCRX_IFQ without header split", EINVAL, seen);
        scene.done("ring without");
        tell_registration(scene, "refused", "without", options, seen);
    }
    scene.must(scene.nic().enable_header_split());
    expect_registers(scene, options);
    // While a provider is there, the setting cannot be put back.
    scene.wait_for_release(options.queue);
}

SCENARIO(registration, header_split_threshold,
         "a queue that splits long packets only is refused, and none can be made so while bound",
         Terms(Needs{.where = Where::kDevice}).claims({"registration.header-split"})) {
    const IfqOptions options = small_ifq(scene);
    scene.prepare_nic();
    Ethtool& ethtool = scene.nic().ethtool();
    if (!scene.must(ethtool.rings()).hds_thresh)
        GTEST_SKIP() << "The driver has no setting hds-thresh; type: zcrxlab run --nic bnxt";
    const auto set_threshold = [&ethtool](uint32_t bytes) {
        const Result<void> set = ethtool.set_rings({.hds_thresh = bytes});
        return set ? 0 : set.error().code;
    };
    scene.returned("hds-thresh of 100 bytes", 0, set_threshold(100));
    {
        Ring ring = scene.must(Ring::create());
        const auto request = scene.must(IfqRequest::prepare(options));
        scene.returned("IORING_REGISTER_ZCRX_IFQ with a threshold", EINVAL,
                       register_again(ring, *request));
    }
    scene.returned("hds-thresh of 0 bytes", 0, set_threshold(0));
    {
        Ring ring = scene.must(Ring::create());
        const auto request = scene.must(IfqRequest::prepare(options));
        scene.returned("IORING_REGISTER_ZCRX_IFQ without a threshold", 0,
                       register_again(ring, *request));
        scene.returned("hds-thresh of 100 bytes while a queue is bound", EINVAL,
                       set_threshold(100));
    }
    scene.wait_for_release(options.queue);
}

// gve cannot stop queue 0 (ERANGE); other drivers may have no reason to refuse it.
SCENARIO(registration, queue_zero, "queue 0 is taken or refused without a warning",
         Terms(Needs{.where = Where::kDevice}).claims({"registration.queue-zero-is-quiet"})) {
    IfqOptions options = small_ifq(scene);
    options.queue = 0;
    Ring ring = scene.must(Ring::create());
    const auto request = scene.must(IfqRequest::prepare(options));
    const int seen = register_again(ring, *request);
    scene.returned("IORING_REGISTER_ZCRX_IFQ on queue 0", seen == 0 ? 0 : ERANGE, seen);
    scene.done("ring r0");
    tell_registration(scene, "q0", "r0", options, seen);
}

}  // namespace
}  // namespace zcrxlab::registration_callers
