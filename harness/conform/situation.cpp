// The table of situations.
#include "harness/conform/situation.hpp"

#include <algorithm>
#include <array>

namespace zcrxlab {

namespace {

constexpr uint64_t kKibi = 1024, kMebi = 1024 * kKibi;

constexpr std::array kSituations{
    Situation{.name = "plain",
              .summary = "a peer sends 1 MiB, and closes",
              .with_client = true,
              .client_summary = "its client runs",
              .bytes = kMebi,
              .must_not_starve = true,
              .needs_entries = true},
    Situation{.name = "ipv6",
              .summary = "a peer sends 256 KiB over IPv6, and closes",
              .bytes = 256 * kKibi,
              .family = 6,
              .must_not_starve = true},
    Situation{.name = "connections",
              .summary = "64 peers send 16 KiB each, at once",
              .connections = 64,
              .bytes = 16 * kKibi},
    Situation{.name = "tiny_sends",
              .summary = "a peer sends 2000 times 7 bytes",
              .bytes = 14000,
              .write = 7},
    Situation{.name = "large_sends",
              .summary = "a peer sends 4 MiB in writes of 1 MiB",
              .bytes = 4 * kMebi,
              .write = kMebi},
    Situation{.name = "copied",
              .summary = "the NIC splits some packets behind their headers, so that the kernel has "
                         "to copy what is in front",
              .with_client = true,
              .bytes = 256 * kKibi,
              .faults = R"({"what":"split_late","bytes":40,"match":{"payload":true,"every":5}})",
              .must_be_copied = true},
    Situation{.name = "wrong_queue",
              .summary = "the NIC brings some packets through another queue, so that the kernel "
                         "has to copy them",
              .with_client = true,
              .bytes = 256 * kKibi,
              .faults = R"({"what":"wrong_queue","match":{"payload":true,"every":7}})",
              .must_be_copied = true},
    Situation{.name = "rule_late",
              .summary = "the first packets with data come through another queue, as before a flow "
                         "rule is there",
              .with_client = true,
              .bytes = 256 * kKibi,
              .faults = R"({"what":"wrong_queue","match":{"payload":true,"count":20}})",
              .must_be_copied = true},
    Situation{.name = "two_queues",
              .summary = "connections of one of the program's queues bring their data through "
                         "another one of them",
              .connections = 4,
              .bytes = 16 * kKibi,
              .faults = R"({"what":"wrong_queue","to":65535,"match":{"payload":true}})",
              .queues = 2,
              .afterwards = true,
              .crosses_queues = true},
    Situation{.name = "bad_wire",
              .summary = "packets are lost, come twice, and out of order",
              .with_client = true,
              .bytes = 256 * kKibi,
              .faults = R"({"what":"drop","match":{"payload":true,"skip":3,"every":17}}
{"what":"duplicate","match":{"payload":true,"every":11}}
{"what":"delay","frames":3,"match":{"payload":true,"every":9}})"},
    Situation{.name = "overlap",
              .summary = "a lost packet comes again together with bytes that had arrived behind it",
              .bytes = 64 * kKibi,
              .write = 100,
              // No acknowledgement comes for a while, so that what was sent is sent again as one.
              .faults = R"({"what":"drop","match":{"payload":true,"skip":5,"count":1}}
{"what":"drop","port":1,"match":{"payload":false,"protocol":"tcp","skip":1,"count":9}})",
              .without_sack = true},
    Situation{.name = "link_flap",
              .summary = "the link is lost for 300 ms amid the data",
              .with_client = true,
              .bytes = 256 * kKibi,
              .faults = R"({"what":"link_flap","milliseconds":300,)"
                        R"("match":{"payload":true,"skip":20,"count":1}})"},
    Situation{.name = "slow",
              .summary = "the program gets a tenth of the time while a peer sends 512 KiB",
              .with_client = true,
              .client_summary = "the program gets a tenth of the time while its client runs",
              .bytes = 512 * kKibi,
              .slows_program = true},
    Situation{.name = "zero_window",
              .summary = "the program stands still until its peer may not send more, and then "
                         "goes on",
              .with_client = true,
              .client_summary =
                  "the program stands still until its client may not send more, and then goes on",
              .bytes = 8 * kMebi,
              .stops_program = true,
              .closes_window = true},
    Situation{.name = "area_empty",
              .summary = "the program stands still while 220 peers send 64 KiB each, until its "
                         "area has no buffer for the NIC",
              .with_client = true,
              .client_summary =
                  "the program stands still until its client cannot send more, and its "
                  "area has no buffer for the NIC",
              .connections = 220,
              .bytes = 64 * kKibi,
              .write = 1024,
              .stops_program = true,
              .afterwards = true,
              .empties_area = true},
    Situation{.name = "cq_full",
              .summary = "the program stands still while 24 peers send in small writes, and then "
                         "finds more to receive than its CQ has room for",
              .with_client = true,
              .client_summary =
                  "the program stands still until its client cannot send more, and then "
                  "finds more to receive than its CQ has room for",
              .connections = 24,
              .bytes = 64 * kKibi,
              .write = 512,
              .stops_program = true,
              .afterwards = true,
              .fills_cq = true},
    Situation{.name = "fin_with_data",
              .summary = "the last data and the end come in one packet",
              .bytes = 1000,
              .write = 1000,
              .end = StreamEnd::kFinWithData,
              .afterwards = true},
    Situation{.name = "fin_alone",
              .summary = "a peer closes without having sent anything",
              .bytes = 0,
              .afterwards = true},
    Situation{.name = "reset",
              .summary = "a peer resets the connection behind its data",
              .bytes = 64 * kKibi,
              .end = StreamEnd::kReset,
              .afterwards = true},
    Situation{.name = "reset_at_once",
              .summary = "a peer resets the connection before it has sent anything",
              .bytes = 0,
              .end = StreamEnd::kResetAtOnce,
              .afterwards = true},
    Situation{.name = "reset_with_data",
              .summary = "a peer resets the connection while its data waits to be received",
              .bytes = 32 * kKibi,
              // Only the first of them is there before the program stands still.
              .write = kKibi,
              .end = StreamEnd::kReset,
              .stops_program = true,
              .afterwards = true},
    Situation{.name = "killed",
              .summary = "the program is killed amid a stream, and started again",
              .with_client = true,
              .client_summary = "the program is killed while its client runs, and started again",
              .bytes = 256 * kKibi,
              .kills_program = true,
              .afterwards = true},
    Situation{.name = "many",
              .summary = "300 peers come one after another, and send 64 bytes each",
              .with_client = true,
              .client_summary = "its client runs again and again",
              .bytes = 64,
              .one_by_one = 300,
              .afterwards = true},
    Situation{.name = "queue_taken",
              .summary = "another process has the queue before the program starts",
              .with_client = true,
              .bytes = 64 * kKibi,
              .refusal = Refusal::kQueueTaken},
    Situation{.name = "old_kernel",
              .summary = "the kernel knows no zero-copy receive: registering a queue is -EINVAL",
              .with_client = true,
              .bytes = 64 * kKibi,
              .refusal = Refusal::kOldKernel},
    Situation{.name = "silence",
              .summary = "a peer connects and says nothing for 3 s",
              .with_client = true,
              .client_summary = "its client stands still for 3 s",
              .bytes = 0,
              .silent_milliseconds = 3000,
              .afterwards = true},
};

}  // namespace

std::string_view summary_of(const Situation& situation, bool with_client) {
    return with_client && !situation.client_summary.empty() ? situation.client_summary
                                                            : situation.summary;
}

std::span<const Situation> situations() {
    return kSituations;
}

const Situation* find_situation(std::string_view name) {
    const auto* const found = std::ranges::find(kSituations, name, &Situation::name);
    return found == kSituations.end() ? nullptr : found;
}

}  // namespace zcrxlab
