// register: registers an interface queue, its area and its refill ring.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

namespace {

constexpr Parameter raw(std::string_view name, std::string_view sentence) {
    return {.name = name, .kind = ValueKind::kNumber, .sentence = sentence};
}

constexpr Parameter kRegisterParameters[] = {
    name_of_a(Thing::kRing, "ring", "the ring"),
    yes_or_no("device", "a queue of the NIC, where there is one; no = ZCRX_REG_NODEV"),
    {.name = "queue",
     .kind = ValueKind::kNumber,
     .sentence = "the receive queue; left out: one of its own",
     .most = kMost32},
    {.name = "area",
     .kind = ValueKind::kNumber,
     .sentence = "bytes of the area",
     .fallback = "64KiB",
     .most = kMostBytes},
    {.name = "memory",
     .kind = ValueKind::kWord,
     .sentence = "of the area; repeated = one memfd again and again",
     .fallback = "anonymous",
     .words = kMemory},
    {.name = "repeat",
     .kind = ValueKind::kNumber,
     .sentence = "bytes of that memfd",
     .fallback = "2MiB",
     .least = 4096,
     .most = 1U << 30},
    {.name = "rq",
     .kind = ValueKind::kNumber,
     .sentence = "entries of the refill ring; 0 = as many as buffers",
     .fallback = "0",
     .most = kMost32},
    {.name = "rq_memory",
     .kind = ValueKind::kWord,
     .sentence = "whose memory the refill ring is",
     .fallback = "user",
     .words = "user|kernel"},
    {.name = "rx_buf_len",
     .kind = ValueKind::kNumber,
     .sentence = "bytes of a buffer; 0 = a page",
     .fallback = "0",
     .most = kMost32},
    {.name = "events",
     .kind = ValueKind::kWord,
     .sentence = "what is told by CQEs",
     .fallback = "none",
     .words = "none|alloc_fail|copy|all"},
    yes_or_no("stats", "shared counters"),
    yes_or_no("copies", "payload may be copied although there is a NIC"),
    yes_or_no("dirty", "the refill ring's memory is full of 0xff before"),
    // What follows goes into the structures as it is.
    raw("reg.flags", "flags of the registration"),
    raw("reg.if_rxq", "its queue"),
    raw("reg.if_idx", "its interface"),
    raw("reg.rq_entries", "its entries"),
    raw("reg.zcrx_id", "its zcrx_id, which must be 0"),
    raw("reg.resv", "its first reserved field, which must be 0"),
    raw("reg.resv1", "its second"),
    raw("reg.area_ptr", "where it says that the area's structure is"),
    raw("reg.region_ptr", "where it says that the region's structure is"),
    raw("reg.event_desc", "where it says that the structure of the events is"),
    raw("reg.arg", "address of the registration itself, as the call has it"),
    raw("reg.count", "how many there are, as the call has it"),
    raw("area.addr", "address of the area"),
    raw("area.offset", "bytes added to its address"),
    raw("area.len", "its length"),
    raw("area.token", "its token, which must be 0"),
    raw("area.flags", "its flags"),
    raw("area.dmabuf_fd", "its dmabuf_fd"),
    raw("area.resv", "its first reserved field, which must be 0"),
    raw("area.resv1", "its second"),
    raw("region.addr", "address of the refill ring's region"),
    raw("region.size", "bytes of the refill ring's region"),
    raw("region.flags", "its flags"),
    raw("region.id", "its id, which must be 0"),
    raw("region.mmap_offset", "its mmap_offset, which must be 0"),
    raw("event.type_mask", "which events are told"),
    raw("event.flags", "their flags"),
    raw("event.stats_offset", "where in the region the counters are"),
    raw("event.resv", "their last reserved field, which must be 0"),
    kExpect,
};

std::vector<Need> needs_of_registration(const Action& action) {
    std::vector<Need> needs;
    // A refused one takes a queue of its own, too.
    if (action.yes("device") && !action.has("queue")) needs.push_back(Need::kQueue);
    // A kernel that refuses what it does not know is as good as any for a refusal.
    if (action.expected() != 0) return needs;
    if (!action.yes("device")) needs.push_back(Need::kNodev);
    if (action.word("events") != "none" || action.yes("stats")) needs.push_back(Need::kEvents);
    if (action.number("rx_buf_len") != 0) needs.push_back(Need::kRxBufferSize);
    return needs;
}

}  // namespace

constinit const VerbRow kRegisterVerb = {
    .form = {.word = "register",
             .subject = Thing::kIfq,
             .makes = true,
             .sentence = "registers an interface queue, its area and its refill ring with a ring",
             .parameters = kRegisterParameters},
    .player = &Player::make_ifq,
    .needs = needs_of_registration,
    .in_c = [](CWriter& c, const Action& action) { return c.register_ifq(action); },
    .from_trace = FromTrace{.events = "IfqRegistered", .noted = true},
    .fuzzer =
        ByFuzzer{
            ByFuzzer::Nic::kAny,
            "Part::make_ifq(): good ones; refused_registration(): with one field that is wrong"},
    .shrinker = Simpler{.numbers = true},
};

}  // namespace zcrxlab
