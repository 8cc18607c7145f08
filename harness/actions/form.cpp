// The table of verbs.
#include "harness/actions/form.hpp"

#include <algorithm>

namespace zcrxlab {

namespace {

constexpr uint64_t kMost32 = UINT32_MAX;
constexpr uint64_t kMostBytes = uint64_t{1} << 40;

constexpr Parameter kExpect{"expect", ValueKind::kErrno,
                            "the errno that is promised; any = none is", "success"};
constexpr std::string_view kWrongRequests =
    "one_shot|unknown_flag|message_flags|address|address_2|address_3|unknown_ifq|no_descriptor|"
    "buffer_selection|ring";
constexpr std::string_view kMemory = "anonymous|huge|transparent|memfd|huge_memfd|repeated";

Parameter raw(std::string_view name, std::string_view sentence) {
    return {name, ValueKind::kNumber, sentence};
}

std::vector<Parameter> registration_parameters() {
    return {
        {"ring", ValueKind::kName, "the ring", {}, 0, 0, {}, Thing::kRing, true},
        {"device", ValueKind::kWord, "a queue of the NIC, where there is one; no = ZCRX_REG_NODEV",
         "no", 0, 0, "yes|no"},
        {"queue",
         ValueKind::kNumber,
         "the receive queue; left out: one of its own",
         {},
         0,
         kMost32},
        {"area", ValueKind::kNumber, "bytes of the area", "64KiB", 0, kMostBytes},
        {"memory", ValueKind::kWord, "of the area; repeated = one memfd again and again",
         "anonymous", 0, 0, kMemory},
        {"repeat", ValueKind::kNumber, "bytes of that memfd", "2MiB", 4096, 1U << 30},
        {"rq", ValueKind::kNumber, "entries of the refill ring; 0 = as many as buffers", "0", 0,
         kMost32},
        {"rq_memory", ValueKind::kWord, "whose memory the refill ring is", "user", 0, 0,
         "user|kernel"},
        {"rx_buf_len", ValueKind::kNumber, "bytes of a buffer; 0 = a page", "0", 0, kMost32},
        {"events", ValueKind::kWord, "what is told by CQEs", "none", 0, 0,
         "none|alloc_fail|copy|all"},
        {"stats", ValueKind::kWord, "shared counters", "no", 0, 0, "yes|no"},
        {"copies", ValueKind::kWord, "payload may be copied although there is a NIC", "no", 0, 0,
         "yes|no"},
        {"dirty", ValueKind::kWord, "the refill ring's memory is full of 0xff before", "no", 0, 0,
         "yes|no"},
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
}

std::vector<VerbForm> make_forms() {
    const auto milliseconds = [](std::string_view fallback) {
        return Parameter{"within", ValueKind::kNumber, "milliseconds that it may take", fallback, 1,
                         600'000};
    };
    return {
        {Verb::kRing,
         "ring",
         Thing::kRing,
         true,
         false,
         "sets up a ring with DEFER_TASKRUN and SINGLE_ISSUER",
         {{"sq", ValueKind::kNumber, "entries of the SQ", "64", 1, 32768},
          {"cq", ValueKind::kNumber, "entries of the CQ", "1024", 1, 65536},
          {"cqes", ValueKind::kWord, "32 = CQE32, mixed = CQE_MIXED, 16 = neither", "32", 0, 0,
           "32|mixed|16"},
          kExpect}},
        {Verb::kRegister, "register", Thing::kIfq, true, false,
         "registers an interface queue, its area and its refill ring with a ring",
         registration_parameters()},
        {Verb::kAddArea,
         "add_area",
         Thing::kIfq,
         false,
         false,
         "ZCRX_CTRL_ADD_AREA",
         {{"area", ValueKind::kNumber, "bytes", "64KiB", 0, kMostBytes},
          {"memory", ValueKind::kWord, "as for register", "anonymous", 0, 0, kMemory},
          {"repeat", ValueKind::kNumber, "as for register", "2MiB", 4096, 1U << 30},
          kExpect}},
        {Verb::kExport,
         "export",
         Thing::kBox,
         true,
         false,
         "ZCRX_CTRL_EXPORT: a descriptor that other rings can import",
         {{"ifq", ValueKind::kName, "what", {}, 0, 0, {}, Thing::kIfq, true}, kExpect}},
        {Verb::kImport,
         "import",
         Thing::kIfq,
         true,
         false,
         "ZCRX_REG_IMPORT: the exported ifq, with another ring",
         {{"ring", ValueKind::kName, "the ring", {}, 0, 0, {}, Thing::kRing, true},
          {"box", ValueKind::kName, "the descriptor", {}, 0, 0, {}, Thing::kBox, true},
          kExpect}},
        {Verb::kConnect,
         "connect",
         Thing::kStream,
         true,
         false,
         "a TCP connection from the peer, steered to the ifq's queue; nothing is armed",
         {{"ifq",
           ValueKind::kName,
           "through which it is received",
           {},
           0,
           0,
           {},
           Thing::kIfq,
           true},
          {"family", ValueKind::kNumber, "4 or 6", "4", 4, 6},
          {"mss", ValueKind::kNumber, "bytes of payload per segment; 0 = the kernel's choice", "0",
           0, 65535},
          {"receive_buffer", ValueKind::kNumber, "SO_RCVBUF; 0 = the kernel's choice", "0", 0,
           1U << 30},
          {"send_buffer", ValueKind::kNumber, "SO_SNDBUF; 0 = the kernel's choice", "0", 0,
           1U << 30}}},
        {Verb::kSend,
         "send",
         Thing::kStream,
         false,
         false,
         "the peer sends so many bytes more, in a thread of its own",
         {{"bytes", ValueKind::kNumber, "how many", {}, 1, kMostBytes, {}, Thing::kNothing, true},
          {"cut", ValueKind::kNumbers, "bytes of each write, used in turn", "64KiB", 1,
           16U << 20}}},
        {Verb::kUrgent, "urgent", Thing::kStream, false, false,
         "the peer sends one byte more, as urgent data, which is part of the stream "
         "(SO_OOBINLINE)"},
        {Verb::kEnd,
         "end",
         Thing::kStream,
         false,
         false,
         "the peer ends the stream when all was sent",
         {{"how", ValueKind::kWord, "with a FIN or a RST", "fin", 0, 0, "fin|reset"}}},
        {Verb::kArm,
         "arm",
         Thing::kStream,
         false,
         false,
         "submits RECV_ZC, multishot",
         {{"limit", ValueKind::kNumber, "sqe->len; 0 = none", "0", 0, kMost32},
          {"poll_first", ValueKind::kWord, "IORING_RECVSEND_POLL_FIRST", "no", 0, 0, "yes|no"}}},
        {Verb::kRefuse,
         "refuse",
         Thing::kStream,
         false,
         false,
         "submits a RECV_ZC that is wrong, whose only CQE says so",
         {{"as", ValueKind::kWord, "what is wrong with it", "one_shot", 0, 0, kWrongRequests},
          kExpect}},
        {Verb::kCancel,
         "cancel",
         Thing::kStream,
         false,
         false,
         "cancels the request and waits for its final CQE",
         {milliseconds("10000")}},
        {Verb::kWait,
         "wait",
         Thing::kStream,
         false,
         false,
         "receives until all that is named here holds, or fails",
         {{"bytes", ValueKind::kNumber, "so many were received in all", {}, 0, kMostBytes},
          {"queued",
           ValueKind::kNumber,
           "so many lie in the socket, which gets room for them; reads no CQE",
           {},
           0,
           64U << 20},
          {"final", ValueKind::kErrno, "the request has ended, like this; success = EOF or limit"},
          {"eof", ValueKind::kWord, "the stream has ended with every byte that was sent", "no", 0,
           0, "yes|no"},
          milliseconds("10000")}},
        {Verb::kRun,
         "run",
         Thing::kRing,
         false,
         false,
         "receives until no CQE has come for a while",
         {{"quiet", ValueKind::kNumber, "milliseconds", "200", 1, 60'000}}},
        {Verb::kSubmit, "submit", Thing::kRing, false, false,
         "submits and lets the kernel work, and reads no CQE"},
        {Verb::kNop,
         "nop",
         Thing::kRing,
         false,
         false,
         "submits NOPs, whose CQEs of 16 or 32 bytes stay until somebody reads",
         {{"count", ValueKind::kNumber, "how many", "1", 1, 4096}}},
        {Verb::kPolicy,
         "policy",
         Thing::kRing,
         false,
         false,
         "what the receiving loop does from now on",
         {{"returns", ValueKind::kWord, "when buffers go back", "at_once", 0, 0,
           "at_once|hold|reverse|never"},
          {"hold", ValueKind::kNumber, "CQEs held by hold and reverse", "0", 0, 1U << 20},
          {"rearm", ValueKind::kWord, "arms again after -ENOSPC, -ENOMEM and a limit", "yes", 0, 0,
           "yes|no"}}},
        {Verb::kReturn,
         "return",
         Thing::kIfq,
         false,
         false,
         "gives buffers back through the refill ring",
         {{"count", ValueKind::kNumber, "CQEs; left out: all that are held", {}, 1, 1U << 20},
          {"order", ValueKind::kWord, "which first", "oldest", 0, 0, "oldest|newest"},
          {"as", ValueKind::kWord, "as they are, each twice, or so many entries that name nothing",
           "valid", 0, 0, "valid|twice|bad_area|bad_index|bad_padding"}}},
        {Verb::kFlush, "flush", Thing::kIfq, false, false, "ZCRX_CTRL_FLUSH_RQ", {kExpect}},
        {Verb::kEvents,
         "events",
         Thing::kIfq,
         false,
         false,
         "ZCRX_CTRL_ARM_EVENT",
         {{"arm", ValueKind::kWord, "which", "copy", 0, 0, "alloc_fail|copy"}, kExpect}},
        {Verb::kAwait,
         "await",
         Thing::kIfq,
         false,
         false,
         "receives until an event is told",
         {{"event", ValueKind::kWord, "which", "copy", 0, 0, "alloc_fail|copy"},
          milliseconds("10000")}},
        {Verb::kCount,
         "count",
         Thing::kStream,
         false,
         false,
         "receives until there are so many CQEs of its requests, and then there must be no more",
         {{"requests", ValueKind::kNumber, "that were submitted"},
          {"finals", ValueKind::kNumber, "final CQEs"},
          {"least", ValueKind::kNumber, "data CQEs, or more"},
          milliseconds("10000")}},
        {Verb::kBuffers,
         "buffers",
         Thing::kIfq,
         false,
         false,
         "compares what of the area is where; receives nothing",
         {{"held", ValueKind::kNumber, "different buffers that the user has"},
          {"entries", ValueKind::kNumber, "of the refill ring that the kernel has not taken"}}},
        {Verb::kCapacity, "capacity", Thing::kIfq, false, false,
         "counts the buffers that can be had, over a stream of its own: all, and none twice"},
        {Verb::kNic,
         "nic",
         Thing::kNothing,
         false,
         false,
         "changes settings of the NIC",
         {{"mtu", ValueKind::kNumber, "bytes", {}, 68, 65535},
          {"rx", ValueKind::kNumber, "entries of the receive rings", {}, 1, 65536},
          {"queues", ValueKind::kNumber, "receive and transmit queues", {}, 1, 64},
          {"split", ValueKind::kWord, "header split", {}, 0, 0, "on|off"},
          kExpect}},
        {Verb::kFault, "fault", Thing::kNothing, false, true,
         "gives the device a fault rule (JSON), until the end"},
        {Verb::kLink,
         "link",
         Thing::kNothing,
         false,
         false,
         "takes the link away, or gives it back",
         {{"up", ValueKind::kWord, "", {}, 0, 0, "yes|no", Thing::kNothing, true}}},
        {Verb::kReset, "reset", Thing::kNothing, false, false,
         "the device says that it is broken, and its driver resets it"},
        {Verb::kRemove,
         "remove",
         Thing::kNothing,
         false,
         false,
         "takes the NIC away from under the rings",
         {{"how", ValueKind::kWord, "off the PCI bus, or its driver lets go of it", "device", 0, 0,
           "device|driver"}}},
        {Verb::kRescan, "rescan", Thing::kNothing, false, false,
         "the NIC comes back, set up as it was; the end does it otherwise"},
        {Verb::kClose, "close", Thing::kRing, false, false,
         "closes a ring with all of its ifqs and streams"},
        {Verb::kFork, "fork", Thing::kProcess, true, false,
         "a child that inherits everything and does nothing"},
        {Verb::kProcess, "process", Thing::kProcess, true, false,
         "starts a child, which does the lines that begin with its name and a colon"},
        {Verb::kReap, "reap", Thing::kProcess, false, false,
         "waits for the end of a child that does lines"},
        {Verb::kKill, "kill", Thing::kProcess, false, false, "SIGKILL for it"},
        {Verb::kThread, "thread", Thing::kThread, true, false,
         "starts a thread, which does the lines that begin with its name and a colon"},
        {Verb::kJoin, "join", Thing::kThread, false, false, "waits for its end"},
        {Verb::kPause,
         "pause",
         Thing::kNothing,
         false,
         false,
         "does nothing for a while",
         {{"ms", ValueKind::kNumber, "milliseconds", "50", 1, 60'000}}},
    };
}

const std::vector<VerbForm>& all_forms() {
    static const std::vector<VerbForm> forms = make_forms();
    return forms;
}

std::string value_text(const Parameter& parameter) {
    switch (parameter.kind) {
        case ValueKind::kNumber:
            return "N";
        case ValueKind::kNumbers:
            return "N,...";
        case ValueKind::kWord:
            return std::string(parameter.words);
        case ValueKind::kErrno:
            return "ERRNO";
        case ValueKind::kName:
            return "NAME";
    }
    return {};
}

}  // namespace

std::string_view name_of(Thing thing) {
    switch (thing) {
        case Thing::kNothing:
            return "nothing";
        case Thing::kRing:
            return "ring";
        case Thing::kIfq:
            return "ifq";
        case Thing::kStream:
            return "stream";
        case Thing::kBox:
            return "box";
        case Thing::kProcess:
            return "process";
        case Thing::kThread:
            return "thread";
    }
    return "";
}

std::span<const VerbForm> verb_forms() {
    return all_forms();
}

const VerbForm& form_of(Verb verb) {
    return all_forms()[static_cast<size_t>(verb)];
}

const VerbForm* find_form(std::string_view word) {
    const auto found = std::ranges::find(all_forms(), word, &VerbForm::word);
    return found != all_forms().end() ? &*found : nullptr;
}

const Parameter* find_parameter(const VerbForm& form, std::string_view name) {
    const auto found = std::ranges::find(form.parameters, name, &Parameter::name);
    return found != form.parameters.end() ? &*found : nullptr;
}

std::vector<std::string_view> words_of(const Parameter& parameter) {
    std::vector<std::string_view> words;
    std::string_view rest = parameter.words;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('|'), rest.size());
        words.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return words;
}

std::string actions_manual() {
    std::string text;
    for (const VerbForm& form : all_forms()) {
        text += "    " + std::string(form.word);
        if (form.subject != Thing::kNothing) {
            const std::string thing(name_of(form.subject));
            text += " " + (form.makes ? "NEW-" + thing : thing);
        }
        if (form.text) text += " JSON";
        text += "\n        " + std::string(form.sentence) + "\n";
        for (const Parameter& parameter : form.parameters) {
            text += "          " + std::string(parameter.name) + "=" + value_text(parameter);
            if (!parameter.sentence.empty()) text += "  " + std::string(parameter.sentence);
            if (parameter.required) text += " (required)";
            if (!parameter.fallback.empty())
                text += " (default " + std::string(parameter.fallback) + ")";
            text += "\n";
        }
    }
    return text;
}

}  // namespace zcrxlab
