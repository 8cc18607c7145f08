// Writes a ZcrxReport in words; what was not counted is not mentioned.
#include "results/exec/zcrx_report_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "harness/base/errno_name.hpp"

namespace zcrxlab {

namespace {

using Lines = std::vector<std::string>;

// What a receive request's errno means; "zcrxlab explain" knows more.
std::string_view meaning_of(int code) {
    switch (-code) {
        case ENOSPC:
            return "the CQ was full; nothing is lost, the request has to be armed again";
        case ENOMEM:
            return "no buffer of the area was free to copy into; give buffers back, arm again";
        case EFAULT:
            return "data of another ring's queue: the flow rule and the ring do not fit";
        case ECONNRESET:
            return "the peer reset the connection";
        case EPROTONOSUPPORT:
            return "not a TCP socket, or one with kernel TLS or a BPF program that reads";
        case ENOTCONN:
            return "the socket is not connected";
        default:
            return "";
    }
}

std::string percent_of(uint64_t part, uint64_t all) {
    if (all == 0) return "-";
    const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(all);
    // What is not all is not called so.
    if (part != all && percent > 99.99) return "more than 99.99 %";
    return fmt::format("{:.{}f} %", percent, part == all || part == 0 ? 0 : 2);
}

void say_tasks(const ZcrxReport& report, Lines& lines) {
    for (const auto& [pid, task] : report.tasks()) {
        const std::string who = fmt::format("{} ({})", task.name, pid);
        for (const auto& [code, count] : task.registered)
            if (code != 0)
                lines.push_back(
                    fmt::format("{}: registering a queue failed {} times with {} (zcrxlab explain "
                                "{} register).",
                                who, count, result_name(code), errno_name(-code)));
        if (task.bytes != 0) {
            const uint64_t copied = std::min(task.copied, task.bytes);
            std::string line = fmt::format(
                "{} received {} bytes in {} pieces. {} of them ({}) are where the NIC "
                "wrote them",
                who, task.bytes, task.pieces, task.bytes - copied,
                percent_of(task.bytes - copied, task.bytes));
            line +=
                copied == 0 ? "; none was copied." : fmt::format("; the kernel copied {}.", copied);
            if (!report.knows("copy"))
                line = fmt::format(
                    "{} received {} bytes in {} pieces; how many were copied is not "
                    "known.",
                    who, task.bytes, task.pieces);
            lines.push_back(std::move(line));
        }
        if (task.cq_full != 0)
            lines.push_back(fmt::format("  Its CQ was full {} times: requests ended with -ENOSPC.",
                                        task.cq_full));
        if (task.overflows != 0)
            lines.push_back(
                fmt::format("  {} CQEs found no room and were kept aside.", task.overflows));
        if (task.no_buffer_to_copy != 0)
            lines.push_back(fmt::format("  {} times there was no free buffer to copy into.",
                                        task.no_buffer_to_copy));
        for (const auto& [code, count] : task.errors) {
            const std::string_view meaning = meaning_of(code);
            lines.push_back(fmt::format("  {} receive requests ended with {}{}{}.", count,
                                        result_name(code), meaning.empty() ? "" : ": ", meaning));
        }
    }
}

// Connections on which a request ended that does not end the stream, and none was armed again.
void say_not_armed_again(const ZcrxReport& report, Lines& lines) {
    size_t connections = 0;
    std::string ports;
    constexpr size_t kMostPorts = 4;
    for (const auto& [at, file] : report.files()) {
        if (!report.not_armed_again(file).value_or(false)) continue;
        for (const uint16_t port : file.remote_ports)
            if (++connections <= kMostPorts)
                ports += (ports.empty() ? "" : ", ") + std::to_string(port);
    }
    if (connections == 0) return;
    lines.push_back(fmt::format(
        "Not armed again: {} connections (from port {}{}) have a request that ended with -ENOSPC "
        "or -ENOMEM, which ends no stream, and none behind it.",
        connections, ports, connections > kMostPorts ? " ..." : ""));
}

void say_reasons(const ZcrxReport& report, Lines& lines) {
    if (report.copied() == 0) return;
    const CopyReasons why = report.reasons();
    if (!report.knows("packet") || !report.knows("receive")) {
        lines.push_back("Why bytes were copied is not known.");
        return;
    }
    if (why.other_queue != 0)
        lines.push_back(fmt::format(
            "Copied: {} bytes, since they came through a receive queue that no ring has: no flow "
            "rule (--port), or it came too late for that connection.",
            why.other_queue));
    if (why.not_split != 0)
        lines.push_back(
            fmt::format("Copied: {} bytes, since they were not split from the packets' headers.",
                        why.not_split));
    if (why.other != 0)
        lines.push_back(fmt::format(
            "Copied: {} bytes in pages of the kernel: received before the queue was registered, "
            "or never on a NIC.",
            why.other));
}

void say_connections(const ZcrxReport& report, size_t most, Lines& lines) {
    size_t told = 0;
    for (const ZcrxConnection& connection : report.connections()) {
        if (connection.bytes == 0) continue;
        if (++told > most) continue;
        std::string queues;
        for (const auto& [queue, bytes] : connection.queues)
            queues += (queues.empty() ? "" : ", ") +
                      (queue < 0 ? std::string("none") : std::to_string(queue));
        const std::string copied = !connection.copied ? "an unknown part of them copied"
                                   : *connection.copied == 0
                                       ? "none copied"
                                       : fmt::format("{} copied", *connection.copied);
        lines.push_back(fmt::format("Connection {} -> {}: {} bytes through queue {}, {}.",
                                    connection.remote_port, connection.local_port, connection.bytes,
                                    queues, copied));
    }
    if (told > most)
        lines.push_back(
            fmt::format("And {} more connections; all of them are in exec.json.", told - most));
}

// "at least 12" where events were missed.
std::string counted(const ZcrxReport& report, std::string_view probe, uint64_t number) {
    return (report.exact(probe) ? "" : "at least ") + std::to_string(number);
}

// ", all given back" and the like.
std::string given_back(const ZcrxReport& report, const ZcrxQueue& queue) {
    if (!queue.given_back) return "; how many it gave back is not known";
    const std::optional<uint64_t> kept = report.kept(queue);
    if (!kept) return fmt::format(", {} given back", *queue.given_back);
    return *kept == 0 ? ", all given back"
                      : fmt::format(", {} given back and {} never", *queue.given_back, *kept);
}

// Buffers out at once are not counted, so nobody is accused of having held them all.
std::string why_starved(const ZcrxReport& report, const ZcrxQueue& queue) {
    const std::optional<uint64_t> kept = report.kept(queue);
    if (!kept) return "who had them then is not known";
    if (*kept != 0)
        return fmt::format(
            "they were with the program or on the way to it, and it never gave {} pieces back",
            *kept);
    return "all were full and with the program, or on the way to it; a larger area helps, or a "
           "program that gives them back earlier";
}

// Whether the area is too large or too small; the driver's part of it is the same with any program.
std::string size_of_area(const ZcrxReport& report, const ZcrxQueue& queue) {
    const std::optional<uint64_t> spare = report.to_spare(queue);
    if (!spare || !queue.out_at_opening || !report.exact("opened"))
        return "How much of its area it needed is not known.";
    return fmt::format(
        "Of its area's {} buffers the driver posted {} when the queue was opened, at most {} were "
        "out at once, and {}.",
        *queue.area_buffers, *queue.out_at_opening, *queue.out_at_most,
        *spare == 0 ? std::string("none was left") : fmt::format("{} were to spare", *spare));
}

// Entries of the refill ring that did nothing, by reason; empty if there were none, or none is
// known of.
std::string refused(const ZcrxReport& report, const ZcrxQueue& queue) {
    struct Refused {
        std::optional<uint64_t> entries;
        const char* why;
    };
    const std::array<Refused, 3> all{
        {{report.unreadable(queue), "named an area or a buffer that is not there"},
         {report.not_held(queue), "gave back what it did not hold"},
         {report.overwritten(queue), "were overwritten before the kernel saw them"}}};
    std::string text;
    for (const Refused& one : all)
        if (one.entries.value_or(0) != 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", *one.entries, one.why);
    return text.empty() ? text : "Of its entries in the refill ring " + text + ".";
}

void say_queues(const ZcrxReport& report, Lines& lines) {
    for (const auto& [at, queue] : report.queues()) {
        if (queue.pieces == 0 && queue.buffers == 0 && queue.starved == 0) continue;
        const std::string name =
            queue.number ? fmt::format("Queue {}", *queue.number) : std::string("A queue");
        std::string line =
            fmt::format("{}: {} pieces for the program{}", name,
                        counted(report, "piece", queue.pieces), given_back(report, queue));
        if (report.knows("buffers"))
            line +=
                fmt::format("; {} buffers for the NIC", counted(report, "buffers", queue.buffers));
        lines.push_back(line + ".");
        if (const std::string entries = refused(report, queue); !entries.empty())
            lines.push_back("  " + entries);
        lines.push_back("  " + size_of_area(report, queue));
        if (queue.starved != 0)
            lines.push_back(fmt::format("  {} times there was no buffer for the NIC: {}.",
                                        counted(report, "buffers", queue.starved),
                                        why_starved(report, queue)));
    }
}

void say_nic(const ZcrxReport& report, Lines& lines) {
    for (const auto& [number, queue] : report.nic()) {
        if (queue.packets == 0 && queue.no_buffer == 0) continue;
        std::string line =
            fmt::format("The NIC's queue {}: {} packets, {} split from their headers", number,
                        queue.packets, queue.split);
        if (queue.no_buffer != 0)
            line += fmt::format(", {} more dropped for want of a buffer", queue.no_buffer);
        lines.push_back(line + ".");
    }
}

// What each probe would have told.
struct Told {
    const char* probe;
    const char* what;
};
constexpr std::array<Told, 11> kTold{{{"register", "who registered"},
                                      {"piece", "what was received"},
                                      {"copy", "what was copied"},
                                      {"receive", "which queue and which connection it was"},
                                      {"result", "how requests ended"},
                                      {"packet", "what came by which connection"},
                                      {"buffers", "what buffers the NIC got"},
                                      {"armed", "whether requests were armed again"},
                                      {"closed", "how many pieces were given back"},
                                      {"overflow", "whether CQEs found no room"},
                                      {"made", "whether a provider was left behind"}}};

}  // namespace

Lines in_words(const ZcrxReport& report, size_t most_connections) {
    Lines lines;
    if (!report.measured()) {
        lines.emplace_back("What zero-copy receive did is not known: the guest did not tell.");
        return lines;
    }
    if (report.bytes() == 0 && report.knows("piece"))
        lines.emplace_back("Nothing was received by zero-copy receive.");
    say_tasks(report, lines);
    say_not_armed_again(report, lines);
    say_reasons(report, lines);
    say_connections(report, most_connections, lines);
    say_queues(report, lines);
    say_nic(report, lines);
    if (report.left() != 0)
        lines.push_back(fmt::format(
            "Left behind: {} queues were still taken 2.5 seconds after the program's end.",
            report.left()));
    for (const Told& told : kTold)
        if (const auto missed = report.missed().find(told.probe); missed != report.missed().end())
            lines.push_back(fmt::format("{} events were missed of {}: there was more of that.",
                                        missed->second, told.what));
    for (const Told& told : kTold)
        if (!report.knows(told.probe))
            lines.push_back(fmt::format("Not known on this kernel: {} ({}).", told.what,
                                        report.failed().at(told.probe)));
    return lines;
}

}  // namespace zcrxlab
