// Chapter areas, memory of dmabufs: what a udmabuf of a memfd receives, and what is refused.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <cerrno>

#include "harness/net/peer.hpp"
#include "harness/ring/receiver.hpp"
#include "scenarios/form/attempt.hpp"
#include "scenarios/form/scenario.hpp"

namespace zcrxlab::areas_dmabuf {
namespace {

// A dmabuf of the pages of a memfd, and a mapping of the same pages.
struct SharedBuffer {
    Fd memfd, dmabuf;
    Mapping mapping;
};

SharedBuffer make_buffer(Scene& scene, size_t size) {
    SharedBuffer buffer;
    const auto failed = [&scene](const char* doing) {
        scene.must(Result<void>(error_from_errno(doing)));
    };
    buffer.memfd = Fd(::memfd_create("dmabuf", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!buffer.memfd || ::ftruncate(buffer.memfd.get(), static_cast<off_t>(size)) != 0)
        failed("make a memfd");
    if (::fcntl(buffer.memfd.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) failed("seal a memfd");
    buffer.mapping = scene.must(
        Mapping::map(size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, buffer.memfd.get()));
    const Fd maker(::open("/dev/udmabuf", O_RDWR | O_CLOEXEC));
    if (!maker) failed("open /dev/udmabuf (a kernel with CONFIG_UDMABUF has it)");
    udmabuf_create create{};
    create.memfd = static_cast<uint32_t>(buffer.memfd.get());
    create.flags = UDMABUF_FLAGS_CLOEXEC;
    create.size = size;
    buffer.dmabuf = Fd(::ioctl(maker.get(), UDMABUF_CREATE, &create));
    if (!buffer.dmabuf) failed("make a dmabuf of a memfd");
    return buffer;
}

void use(uapi::ZcrxAreaReg& area, int dmabuf, size_t size) {
    area.address = 0;
    area.length = size;
    area.flags = uapi::kAreaDmabuf;
    area.dmabuf_fd = static_cast<uint32_t>(dmabuf);
}

// The kernel cannot read it, so nothing can be copied into it either: what arrives was put there
// by the device.
SCENARIO(areas, dmabuf, "a dmabuf receives a stream from the NIC",
         Terms(Needs{.where = Where::kDevice, .queues = 1}).claims({"areas.dmabuf"})) {
    constexpr uint64_t kBytes = 2U << 20;
    scene.prepare_nic();
    const IfqOptions options = receiving_ifq(scene);
    const SharedBuffer buffer = make_buffer(scene, options.area_size);
    auto request = scene.must(IfqRequest::prepare(options));
    use(request->area, buffer.dmabuf.get(), options.area_size);
    Ring ring = scene.must(Ring::create());
    const auto ifq = scene.must(Ifq::open(ring, std::move(request)));

    TcpOptions tcp;
    tcp.local = scene.endpoints().local_v4;
    tcp.peer = scene.endpoints().peer_v4;
    tcp.peer_namespace = scene.endpoints().peer_namespace;
    const TcpListener listener = scene.must(tcp_listen(tcp));
    scene.steer({.destination_port = listener.port, .queue = options.queue});
    TcpPair pair = scene.must(tcp_connect(listener, tcp));
    Trace trace;  // offsets are those of the dmabuf, which the area of an event is not
    ReceiverOptions how;
    how.compare = false;
    Receiver receiver(ring, trace, how);
    const Pattern pattern(scene.seed(1));
    uint64_t position = 0, wrong = 0;
    receiver.on_data = [&](uint32_t, const Completion& cqe, auto) {
        const uint64_t offset = cqe.offset & uapi::kZcrxOffsetMask;
        const auto length = static_cast<uint64_t>(cqe.result);
        if (offset + length > options.area_size ||
            pattern.compare({buffer.mapping.data() + offset, length}, position))
            ++wrong;
        position += length;
    };
    scene.must(receiver.add(1, pair.receiver.get(), *ifq, pattern.seed()));
    PeerPlan plan;
    plan.stream = 1;
    plan.seed = pattern.seed();
    plan.total = kBytes;
    Peer peer(std::move(pair.peer), plan, trace);
    scene.must(receiver.run(scene.time_left()));
    EXPECT_EQ(receiver.state(1).final_result, 0);
    EXPECT_EQ(position, kBytes);
    EXPECT_EQ(wrong, 0U) << "CQEs whose bytes are not those that were sent";
}

struct Refusal {
    const char* name;
    int expected;
    void (*bend)(uapi::ZcrxAreaReg&, const SharedBuffer&);
};
constexpr Refusal kRefusals[] = {
    {"no_descriptor", EBADF, [](auto& area, const auto&) { area.dmabuf_fd = 1000000; }},
    {"descriptor_of_a_memfd", EINVAL,
     [](auto& area, const auto& b) { area.dmabuf_fd = static_cast<uint32_t>(b.memfd.get()); }},
    {"an_offset", EINVAL, [](auto& area, const auto&) { area.address = kPageSize; }},
    {"shorter_than_it_is", EINVAL, [](auto& area, const auto&) { area.length -= kPageSize; }},
    {"longer_than_it_is", EINVAL, [](auto& area, const auto&) { area.length += kPageSize; }},
};

SCENARIO_TABLE(areas, dmabuf_with, "a dmabuf that is described wrongly is refused",
               Terms(Needs{.where = Where::kDevice}).claims({"areas.dmabuf"}), kRefusals, row) {
    const SharedBuffer buffer = make_buffer(scene, kSmallArea);
    expect_refused(
        scene, std::string("a dmabuf area with ") + row.name,
        [&](BentRequest& bent) {
            use(bent.request.area, buffer.dmabuf.get(), kSmallArea);
            row.bend(bent.request.area, buffer);
        },
        row.expected);
}

SCENARIO(areas, dmabuf_without_device, "a dmabuf without a device is refused",
         Terms(Needs{.features = {Feature::kNodev}}).claims({"areas.dmabuf"})) {
    const SharedBuffer buffer = make_buffer(scene, kSmallArea);
    IfqOptions options;
    options.area_size = kSmallArea;
    options.rq_entries = 16;
    Ring ring = scene.must(Ring::create());
    const auto request = scene.must(IfqRequest::prepare(options));
    use(request->area, buffer.dmabuf.get(), kSmallArea);
    scene.returned("IORING_REGISTER_ZCRX_IFQ of a dmabuf without a device", EINVAL,
                   errno_of(register_raw(ring, &request->registration)));
}

}  // namespace
}  // namespace zcrxlab::areas_dmabuf
