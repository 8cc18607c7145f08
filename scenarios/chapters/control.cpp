// Chapter control: flush, export and import, events, further areas, query.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "harness/base/errno_name.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/streams/single_thread_stream.hpp"

namespace zcrxlab::control {
namespace {

using uapi::ZcrxCtrlOp;

uapi::ZcrxCtrl control_for(const Ifq& ifq, ZcrxCtrlOp op) {
    uapi::ZcrxCtrl control{};
    control.zcrx_id = ifq.zcrx_id();
    control.op = static_cast<uint32_t>(op);
    return control;
}

// A registered instance with a small area; its ring is closed at the end.
struct Instance {
    explicit Instance(Scene& scene, const IfqOptions& options)
        : ring(scene.must(Ring::create())),
          ifq(scene.must(Ifq::open(ring, options, &scene.trace()))) {}
    explicit Instance(Scene& scene) : Instance(scene, small_ifq(scene)) {}

    Ring ring;
    std::unique_ptr<Ifq> ifq;
};

// For the trace, as actions, and what none of them is.
constexpr const char* kOwnLoop = "# a stream that is received by a loop of its own";
void tell_export(Scene& scene, const Instance& there) {
    scene.done("export box ifq=q" + std::to_string(there.ifq->options().number));
}
// The exported instance, with another ring.
void tell_import(Scene& scene, const Instance& there) {
    scene.done("ring importer");
    tell_export(scene, there);
    scene.done("import imported ring=importer box=box");
}

// A wrong control operation.
struct Refusal {
    const char* name;
    std::string_view claims;
    int expected;
    void (*bend)(uapi::ZcrxCtrl&, uint32_t& count);
    Terms terms = Needs{.features = {Feature::kFlushRq}};
};
void become(uapi::ZcrxCtrl& control, ZcrxCtrlOp op) {
    control.op = static_cast<uint32_t>(op);
}
// clang-format off
const Refusal kRefusals[] = {
    {"id_unknown", "control.unknown-id", ENXIO,
     [](uapi::ZcrxCtrl& c, uint32_t&) { c.zcrx_id += 77; }},
    {"operation_unknown", "control.unknown-operation", EOPNOTSUPP,
     [](uapi::ZcrxCtrl& c, uint32_t&) { c.op = 1000; }},
    {"one_argument", "control.nr-args", EINVAL, [](uapi::ZcrxCtrl&, uint32_t& n) { n = 1; }},
    {"reserved_first", "control.reserved", EINVAL,
     [](uapi::ZcrxCtrl& c, uint32_t&) { c.reserved[0] = 1; }},
    {"reserved_last", "control.reserved", EINVAL,
     [](uapi::ZcrxCtrl& c, uint32_t&) { c.reserved[1] = 1; }},
    {"flush_reserved", "control.payload-reserved", EINVAL,
     [](uapi::ZcrxCtrl& c, uint32_t&) { c.flush.reserved[5] = 1; }},
    {"export_reserved", "control.payload-reserved", EINVAL,
     [](uapi::ZcrxCtrl& c, uint32_t&) { become(c, ZcrxCtrlOp::kExport); c.box.reserved[10] = 1; },
     Needs{.features = {Feature::kExport}}},
    {"export_with_descriptor", "control.payload-reserved", EINVAL,
     [](uapi::ZcrxCtrl& c, uint32_t&) { become(c, ZcrxCtrlOp::kExport); c.box.fd = 1; },
     Needs{.features = {Feature::kExport}}},
    {"arm_reserved", "control.payload-reserved", EINVAL,
     [](uapi::ZcrxCtrl& c, uint32_t&) { become(c, ZcrxCtrlOp::kArmEvent); c.arm.reserved[0] = 1; },
     Needs{.features = {Feature::kEvents}}},
    {"arm_type_unknown", "control.arm-event", EINVAL,
     [](uapi::ZcrxCtrl& c, uint32_t&) { become(c, ZcrxCtrlOp::kArmEvent); c.arm.type = 31; },
     Needs{.features = {Feature::kEvents}}},
    {"arm_not_fired", "control.arm-event", EINVAL,
     [](uapi::ZcrxCtrl& c, uint32_t&) { become(c, ZcrxCtrlOp::kArmEvent); c.arm.type = 1; },
     Needs{.features = {Feature::kEvents}}},
};
// clang-format on

SCENARIO_TABLE(control, refused, "a wrong control operation gets its errno", Needs{}, kRefusals,
               row) {
    Instance there(scene);
    uapi::ZcrxCtrl control = control_for(*there.ifq, ZcrxCtrlOp::kFlushRq);
    uint32_t count = 0;
    row.bend(control, count);
    const int seen = errno_of(control_raw(there.ring, control, count));
    scene.returned(std::string("IORING_REGISTER_ZCRX_CTRL: ") + row.name, row.expected, seen);
    if (row.name == std::string_view("arm_not_fired"))
        scene.done("events q" + std::to_string(there.ifq->options().number) +
                   " arm=copy expect=" + errno_name(seen));
}

SCENARIO(control, flush, "a flush takes up all entries of the refill ring",
         Terms(Needs{.features = {Feature::kFlushRq}}).claims({"control.flush"})) {
    ReceivePath rx(scene, {.receiver = {.returns = ReturnPolicy::kNever}});
    rx.connect({.bytes = 1U << 20});
    rx.receive_all();
    scene.must(rx.receiver().return_held());
    scene.must(rx.ifq().flush());
    EXPECT_GT(rx.ifq().refill().tail(), 64U);
    EXPECT_EQ(rx.ifq().refill().head(), rx.ifq().refill().tail());
}

SCENARIO(control, flush_over_invalid_entries, "a flush steps over invalid entries",
         Terms(Needs{.features = {Feature::kFlushRq}}).claims({"control.flush-skips-invalid"})) {
    // With more buffers than a driver posts, it has no reason to look into the refill ring, from
    // which it would take up what a flush left there.
    Instance there(scene, receiving_ifq(scene));
    RefillRing& refill = there.ifq->refill();
    for (uint64_t i = 0; i < 4; ++i)
        ASSERT_TRUE(refill.push(i * kPageSize, 1, 1)) << "padding must be 0";
    refill.publish();
    scene.must(there.ifq->flush());
    const uint32_t head = refill.head();
    const std::string name = "q" + std::to_string(there.ifq->options().number);
    scene.done("return " + name + " count=4 as=bad_padding");
    scene.done("flush " + name);
    scene.done("buffers " + name + " entries=0");
    EXPECT_EQ(head, refill.tail())
        << "FLUSH_RQ took up " << head << " of 4 entries and returned 0.";
}

SCENARIO(
    control, success_is_zero, "an operation that succeeds returns 0",
    Terms(Needs{.features = {Feature::kFlushRq, Feature::kExport}}).claims({"control.result"})) {
    Instance there(scene);
    uapi::ZcrxCtrl flush = control_for(*there.ifq, ZcrxCtrlOp::kFlushRq);
    EXPECT_EQ(control_raw(there.ring, flush), 0) << "FLUSH_RQ";
    uapi::ZcrxCtrl box = control_for(*there.ifq, ZcrxCtrlOp::kExport);
    EXPECT_EQ(control_raw(there.ring, box), 0) << "EXPORT";
    const Fd exported(static_cast<int>(box.box.fd));
}

SCENARIO(control, export_closes_on_exec,
         "an export gives the lowest free descriptor, be it 0, and that closes on exec",
         Terms(Needs{.features = {Feature::kExport}}).claims({"control.export"})) {
    Instance there(scene);
    const Fd input(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    ::close(STDIN_FILENO);
    Result<Fd> box = there.ifq->export_box();
    const int flags = ::fcntl(STDIN_FILENO, F_GETFD);
    const int told = box ? box->release() : -1;
    if (input)
        ::dup2(input.get(), STDIN_FILENO);  // which closes the export
    else
        ::close(STDIN_FILENO);
    if (!box) scene.give_up(box.error().sentence);
    tell_export(scene, there);
    EXPECT_EQ(told, STDIN_FILENO);
    ASSERT_GE(flags, 0) << "There is no such descriptor.";
    EXPECT_NE(flags & FD_CLOEXEC, 0);
}

SCENARIO(control, import_receives, "an import receives through the area of the exporter",
         Terms(Needs{.features = {Feature::kExport}}).claims({"control.import"})) {
    Instance there(scene, receiving_ifq(scene));
    Ring importer = scene.must(Ring::create());
    const Fd box = scene.must(there.ifq->export_box());
    const uint32_t id = scene.must(import_box(importer, box.get()));
    tell_import(scene, there);
    scene.done(kOwnLoop);
    SingleThreadStream tap(scene, importer, id, *there.ifq);
    tap.send_and_expect(20000);
}

SCENARIO(control, outlives_exporter, "data and recycling go on after the exporter's ring is gone",
         Terms(Needs{.features = {Feature::kExport}}).claims({"control.outlives-exporter"})) {
    Ring importer = scene.must(Ring::create());
    std::optional<Instance> there(std::in_place, scene, receiving_ifq(scene));
    const Fd box = scene.must(there->ifq->export_box());
    const uint32_t id = scene.must(import_box(importer, box.get()));
    tell_import(scene, *there);
    scene.done(kOwnLoop);
    SingleThreadStream tap(scene, importer, id, *there->ifq);
    tap.send_and_expect(5000);
    there->ring = scene.must(Ring::create());  // the old one is closed by this
    scene.done("close r" + std::to_string(there->ifq->options().number));
    // More than the area holds, so that buffers have to come back.
    const size_t area = there->ifq->area().size();
    const size_t step = there->ifq->nodev() ? 5000 : 40000;
    for (size_t sent = 0; sent < 2 * area; sent += step) tap.send_and_expect(step);
}

SCENARIO(control, import_tells_geometry,
         "an import tells the refill ring's size and the buffer length",
         Terms(Needs{.features = {Feature::kExport}}).claims({"control.import-geometry"})) {
    Instance there(scene);
    Ring importer = scene.must(Ring::create());
    const Fd box = scene.must(there.ifq->export_box());
    uapi::ZcrxIfqReg import{};
    import.flags = uapi::kRegImport;
    import.interface = static_cast<uint32_t>(box.get());
    scene.returned("an import", 0, errno_of(register_raw(importer, &import)));
    tell_import(scene, there);
    EXPECT_EQ(import.offsets.rqes, there.ifq->registration().offsets.rqes);
    EXPECT_TRUE(import.rq_entries == there.ifq->registration().rq_entries &&
                import.rx_buf_len == there.ifq->buffer_size())
        << "The import tells " << import.rq_entries << " entries and buffers of "
        << import.rx_buf_len << " bytes.";
}

struct ImportField {
    std::string_view name;
    void (*bend)(uapi::ZcrxIfqReg&);
};
const ImportField kImportFields[] = {
    {"queue", [](uapi::ZcrxIfqReg& r) { r.queue = 1; }},
    {"rq_entries", [](uapi::ZcrxIfqReg& r) { r.rq_entries = 16; }},
    {"area", [](uapi::ZcrxIfqReg& r) { r.area = 4096; }},
    {"region", [](uapi::ZcrxIfqReg& r) { r.region = 4096; }},
    {text_of(Feature::kNodev).name, [](uapi::ZcrxIfqReg& r) { r.flags |= uapi::kRegNodev; }},
    {"zcrx_id", [](uapi::ZcrxIfqReg& r) { r.zcrx_id = 1; }},
    {"event", [](uapi::ZcrxIfqReg& r) { r.event_desc = 4096; }},
    {"buffer_length", [](uapi::ZcrxIfqReg& r) { r.rx_buf_len = 12345; }},
};

SCENARIO_TABLE(control, import_with, "an import with other fields set is refused",
               Terms(Needs{.features = {Feature::kExport}}).claims({"control.import-fields"}),
               kImportFields, row) {
    Instance there(scene);
    Ring importer = scene.must(Ring::create());
    const Fd box = scene.must(there.ifq->export_box());
    uapi::ZcrxIfqReg import{};
    import.flags = uapi::kRegImport;
    import.interface = static_cast<uint32_t>(box.get());
    row.bend(import);
    scene.returned("an import with " + std::string(row.name), EINVAL,
                   errno_of(register_raw(importer, &import)));
}

SCENARIO(control, add_area, "buffers of an area that was added are used",
         Terms(Needs{.features = {Feature::kAddArea}}).claims({"control.add-area"})) {
    ReceivePath rx(scene,
                   {.ifq = {.area_size = 8U << 20}, .receiver = {.returns = ReturnPolicy::kNever}});
    const uint32_t id = scene.must(
        rx.ifq().add_area(scene.must(AreaMemory::allocate(AreaKind::kAnonymous, 8U << 20))));
    bool first = false, added = false;
    rx.receiver().on_data = [&](uint32_t, const Completion& completion, auto) {
        const uint64_t area = completion.offset >> uapi::kZcrxAreaShift;
        first = first || area == 0;
        added = added || area == id;
    };
    rx.connect({.bytes = UINT64_MAX, .end = PeerEnd::kReset});
    scene.must(rx.receiver().run(scene.time_left() / 2, [&] { return first && added; }));
    EXPECT_TRUE(added) << "No buffer of the second area was used.";
    EXPECT_TRUE(first) << "No buffer of the first area was used.";
    rx.abandon();
}

struct AreaRefusal {
    const char* name;
    std::string_view claims;
    int expected;
    void (*bend)(uapi::ZcrxAreaReg&, uapi::ZcrxCtrl&);
};
const AreaRefusal kAreaRefusals[] = {
    {"token", "control.add-area-refused", EINVAL,
     [](uapi::ZcrxAreaReg& a, uapi::ZcrxCtrl&) { a.token = uint64_t{1} << 48; }},
    {"payload_reserved", "control.payload-reserved", EINVAL,
     [](uapi::ZcrxAreaReg&, uapi::ZcrxCtrl& c) { c.add.reserved[0] = 1; }},
};

SCENARIO_TABLE(control, add_area_with, "a wrong area is not added",
               Needs{.features = {Feature::kAddArea}}, kAreaRefusals, row) {
    Instance there(scene);
    const AreaMemory memory = scene.must(AreaMemory::allocate(AreaKind::kAnonymous, kSmallArea));
    uapi::ZcrxAreaReg area{};
    area.address = reinterpret_cast<uintptr_t>(memory.data());
    area.length = memory.size();
    uapi::ZcrxCtrl control = control_for(*there.ifq, ZcrxCtrlOp::kAddArea);
    control.add.area = reinterpret_cast<uintptr_t>(&area);
    row.bend(area, control);
    scene.returned(std::string("ADD_AREA with ") + row.name, row.expected,
                   errno_of(control_raw(there.ring, control)));
}

SCENARIO(control, add_area_again, "a refused ADD_AREA can be tried again with the same structure",
         Terms(Needs{.features = {Feature::kAddArea}}).claims({"control.add-area-retry"})) {
    Instance there(scene);
    const AreaMemory memory = scene.must(AreaMemory::allocate(AreaKind::kAnonymous, kSmallArea));
    uapi::ZcrxAreaReg area{};
    area.address = reinterpret_cast<uintptr_t>(memory.data());
    area.length = memory.size() - 512;
    uapi::ZcrxCtrl control = control_for(*there.ifq, ZcrxCtrlOp::kAddArea);
    control.add.area = reinterpret_cast<uintptr_t>(&area);
    scene.returned("ADD_AREA of an unaligned length", EINVAL,
                   errno_of(control_raw(there.ring, control)));
    area.length = memory.size();
    scene.returned("ADD_AREA again, with a good length", 0,
                   errno_of(control_raw(there.ring, control)));
}

SCENARIO(control, query, "a query tells what there is, as registration then finds it",
         Terms(Needs{.features = {Feature::kFlushRq}}).claims({"control.query"})) {
    const uapi::QueryZcrx answer = scene.must(query_zcrx());
    EXPECT_NE(answer.register_flags & uapi::kRegImport, 0U);
    EXPECT_NE(answer.area_flags & uapi::kAreaDmabuf, 0U);
    EXPECT_GE(answer.ctrl_opcodes, 2U);
    Instance there(scene);
    const uint32_t alignment = answer.rq_header_alignment;
    ASSERT_NE(alignment, 0U);
    EXPECT_EQ(there.ifq->registration().offsets.rqes,
              (answer.rq_header_size + alignment - 1) / alignment * alignment);
    // The first operation that it does not count is unknown, and the last that it counts is not.
    uapi::ZcrxCtrl control = control_for(*there.ifq, ZcrxCtrlOp::kFlushRq);
    control.op = answer.ctrl_opcodes;
    scene.returned("a control operation beyond the query's number", EOPNOTSUPP,
                   errno_of(control_raw(there.ring, control)));
    control.op = answer.ctrl_opcodes - 1;
    EXPECT_NE(errno_of(control_raw(there.ring, control)), EOPNOTSUPP);
}

}  // namespace
}  // namespace zcrxlab::control
