// Adds up what the probes and the NIC counted.
#include "results/exec/zcrx_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "harness/base/errno_name.hpp"
#include "harness/base/json.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::json;

constexpr int kNoQueue = -1;

uint64_t count_in(const Json& json, const std::string& name) {
    return get_or<uint64_t>(json, name.c_str(), 0);
}

// By name of the probe.
using Histograms = std::map<std::string, std::vector<HistogramRow>>;

Histograms histograms_in(const Json& json, std::map<std::string, uint64_t>& dropped) {
    Histograms all;
    for (const auto& [name, text] : get_object(json, "counts").items()) {
        if (!text.is_string()) continue;
        all[name] = parse_histograms(text.get_ref<const std::string&>());
        if (const uint64_t hits = dropped_hits(text.get_ref<const std::string&>()); hits != 0)
            dropped[name] += hits;
    }
    return all;
}

uint64_t address(const HistogramRow& row, std::string_view key) {
    return static_cast<uint64_t>(row.number(key).value_or(0));
}

std::optional<TaskName> task_of(const HistogramRow& row) {
    const auto found = row.keys.find("common_pid");
    return found == row.keys.end() ? std::nullopt : parse_task(found->second);
}

// skc_portpair: the remote port in network order below, the local one in the host's above.
uint16_t remote_port(uint64_t pair) {
    return static_cast<uint16_t>((pair & 0xff) << 8 | (pair >> 8 & 0xff));
}

uint16_t local_port(uint64_t pair) {
    return static_cast<uint16_t>(pair >> 16);
}

Json or_null(const std::optional<uint64_t>& number) {
    return number ? Json(*number) : Json();
}

Json by_errno(const std::map<int, uint64_t>& counts) {
    Json json = Json::object();
    for (const auto& [code, count] : counts)
        json[code == 0 ? std::string("ok") : errno_name(-code)] = count;
    return json;
}

}  // namespace

void ZcrxReport::program(std::string_view text) {
    const Result<Json> parsed = parse_json_object(text);
    if (!parsed) return;
    const Json& json = *parsed;
    const std::string event = get_text(json, "event");
    if (event != "zcrx" && event != "zcrx-time") return;
    std::map<std::string, uint64_t> dropped;
    Histograms all = histograms_in(json, dropped);
    if (event == "zcrx-time") {
        ZcrxMoment moment;
        moment.seconds = get_or(json, "seconds", moment.seconds);
        for (const HistogramRow& row : all["piece"]) {
            if (row.number("ok") != 1) continue;
            moment.bytes += row.value("len");
            moment.pieces += row.value("hitcount");
        }
        for (const HistogramRow& row : all["returned"]) moment.returned += row.value("refs");
        for (const HistogramRow& row : all["buffers"])
            if (!row.has("ret")) moment.buffers += row.value("hitcount") + row.value("more");
        moments_.push_back(moment);
        return;
    }
    measured_ = true;
    missed_ = std::move(dropped);
    for (const auto& [name, events] : get_object(json, "missed").items())
        if (const auto number = get<uint64_t>(events)) missed_[name] += *number;
    left_ = count_in(json, "left");
    for (const auto& [name, why] : get_object(json, "failed").items())
        failed_[name] = get<std::string>(why).value_or("");
    for (const auto& [name, rows] : all) {
        take_tasks(name, rows);
        take_queues(name, rows);
        take_rings(name, rows);
        take_files(name, rows);
    }
    take_openings(all["bound"], all["opened"]);
    take_connections(all["packet"], all["receive"], all["copy"]);
}

void ZcrxReport::take_tasks(const std::string& probe, const std::vector<HistogramRow>& rows) {
    for (const HistogramRow& row : rows) {
        const auto name = task_of(row);
        if (!name) continue;
        ZcrxTask& task = tasks_[name->pid];
        task.name = name->name;
        const uint64_t hits = row.value("hitcount");
        const int code = static_cast<int>(row.number("ret").value_or(0));
        if (probe == "register") task.registered[code] += hits;
        if (probe == "result") task.errors[code] += hits;
        if (probe == "overflow") task.overflows += hits;
        if (probe == "copy") task.copied += row.value("ret");
        if (probe != "piece") continue;
        if (row.number("ok") == 0) {
            task.cq_full += hits;
        } else {
            task.pieces += hits;
            task.bytes += row.value("len");
        }
    }
}

void ZcrxReport::take_queues(const std::string& probe, const std::vector<HistogramRow>& rows) {
    for (const HistogramRow& row : rows) {
        if (!row.has("ifq")) continue;
        // A queue is opened for memory of others, too, so that this waits for all the rest.
        if (probe == "bound" || probe == "opened") continue;
        ZcrxQueue& queue = queues_[address(row, "ifq")];
        const uint64_t hits = row.value("hitcount");
        if (const auto number = row.number("queue")) queue.number = static_cast<int>(*number);
        if (probe == "receive") queue.rings.insert(address(row, "ctx"));
        if (probe == "piece" && row.number("ok") == 1) {
            queue.pieces += hits;
            queue.bytes += row.value("len");
        }
        if (probe == "buffers" && row.has("ret")) queue.starved += hits;
        if (probe == "buffers" && !row.has("ret")) queue.buffers += hits + row.value("more");
        if (probe == "returned") queue.taken_back += row.value("refs");
        // Closing comes by several times, and the ring may still be written to.
        if (probe == "closed")
            queue.given_back = std::max(queue.given_back.value_or(0), address(row, "tail"));
        if (probe == "closed" && row.has("head"))
            queue.looked_at = std::max(queue.looked_at.value_or(0), address(row, "head"));
        if (probe == "refill") queue.most_in_ring = row.value("max");
        if (probe == "area") {
            queue.area_buffers = row.value("all");
            queue.out_at_most = row.value("max");
        }
    }
}

void ZcrxReport::take_openings(const std::vector<HistogramRow>& bound,
                               const std::vector<HistogramRow>& opened) {
    for (const HistogramRow& row : bound)
        if (const auto queue = queues_.find(address(row, "ifq")); queue != queues_.end())
            queue->second.number = static_cast<int>(address(row, "queue"));
    for (const HistogramRow& row : opened)
        if (const auto queue = queues_.find(address(row, "ifq")); queue != queues_.end())
            queue->second.out_at_opening =
                address(row, "all") - std::min(address(row, "all"), address(row, "free"));
}

void ZcrxReport::take_rings(const std::string& probe, const std::vector<HistogramRow>& rows) {
    for (const HistogramRow& row : rows) {
        if (probe == "control") controls_ += row.value("hitcount");
        if (probe == "created") rings_[address(row, "ctx")].cq_entries = address(row, "cq_entries");
        if (probe != "sizes") continue;
        ZcrxRing& ring = rings_[address(row, "ctx")];
        ring.refill_entries = address(row, "entries");
        ring.area = address(row, "area");
    }
}

void ZcrxReport::take_files(const std::string& probe, const std::vector<HistogramRow>& rows) {
    for (const HistogramRow& row : rows) {
        if (!row.has("file") || task_of(row)) continue;
        const uint64_t hits = row.value("hitcount");
        const uint16_t port = remote_port(address(row, "ports"));
        if (probe == "armed") files_[address(row, "file")].armed += hits;
        if (probe == "receive" && port != 0) files_[address(row, "file")].remote_ports.insert(port);
        if (probe == "result")
            files_[address(row, "file")].errors[static_cast<int>(row.number("ret").value_or(0))] +=
                hits;
    }
}

void ZcrxReport::take_connections(const std::vector<HistogramRow>& packets,
                                  const std::vector<HistogramRow>& receives,
                                  const std::vector<HistogramRow>& copies) {
    std::map<uint64_t, ZcrxConnection> all;  // by both ports
    // A socket that was reset has lost its local port, and what waited in it comes afterwards.
    std::map<uint64_t, uint64_t> whole;  // both ports by the remote one
    for (const HistogramRow& row : packets)
        if (const uint64_t ports = address(row, "ports"); local_port(ports) != 0)
            whole.insert_or_assign(remote_port(ports), ports);
    const auto ports_of = [&](const HistogramRow& row) {
        const uint64_t ports = address(row, "ports");
        const auto found = whole.find(remote_port(ports));
        return local_port(ports) == 0 && found != whole.end() ? found->second : ports;
    };
    for (const HistogramRow& row : packets) {
        const uint64_t ports = ports_of(row);
        if (ports == 0) continue;  // of a packet inside another one
        ZcrxConnection& connection = all[ports];
        if (row.has("mapping")) {
            const int queue = static_cast<int>(row.number("mapping").value_or(0)) - 1;
            connection.bytes += row.value("ret");
            connection.queues[queue] += row.value("ret");
            if (const auto task = task_of(row)) connection.pid = task->pid;
        } else {
            connection.linear += row.value("all") - std::min(row.value("all"), row.value("paged"));
        }
    }
    std::map<uint64_t, std::set<uint64_t>> sockets;  // ports by file
    for (const HistogramRow& row : receives)
        if (row.has("ports")) sockets[address(row, "file")].insert(ports_of(row));
    // A packet inside another one has no socket, and its bytes are that one's: what was read as its
    // ports may be anything.
    std::set<uint64_t> known;
    for (const auto& [file, ports] : sockets) known.insert(ports.begin(), ports.end());
    if (!known.empty())
        std::erase_if(all, [&](const auto& entry) { return !known.contains(entry.first); });
    std::map<uint64_t, uint64_t> copied;  // by file
    for (const HistogramRow& row : copies) {
        if (task_of(row)) {
            copied[address(row, "file")] += row.value("ret");
        } else if (row.number("ret") == -ENOMEM) {
            // Which task it was is not in that histogram; a file is one connection's.
            const auto of = sockets.find(address(row, "file"));
            const int64_t pid =
                of == sockets.end() || of->second.empty() ? -1 : all[*of->second.begin()].pid;
            if (tasks_.contains(pid)) tasks_[pid].no_buffer_to_copy += row.value("hitcount");
        }
    }
    for (const auto& [file, ports] : sockets) {
        const uint64_t bytes = copied.contains(file) ? copied[file] : 0;
        for (const uint64_t pair : ports) {
            if (!all.contains(pair)) continue;
            // Addresses of files are used again. Nothing was copied: then for none of them.
            if (ports.size() == 1 || bytes == 0)
                all[pair].copied = all[pair].copied.value_or(0) + bytes;
        }
    }
    for (auto& [pair, connection] : all) {
        connection.remote_port = remote_port(pair);
        connection.local_port = local_port(pair);
        connections_.push_back(std::move(connection));
    }
}

void ZcrxReport::counters(std::string_view text) {
    const Result<Json> json = parse_json(text);
    if (!json) return;
    const Json& ports = get_array(*json, "ports");
    if (ports.empty() || !ports[0].is_object()) return;
    const Json& receiver = ports[0];
    for (unsigned number = 0; receiver.contains(fmt::format("rx{}_packets", number)); ++number)
        nic_[number] = {count_in(receiver, fmt::format("rx{}_packets", number)),
                        count_in(receiver, fmt::format("rx{}_split", number)),
                        count_in(receiver, fmt::format("rx{}_no_buffer", number))};
}

bool ZcrxReport::knows(std::string_view probe) const {
    return measured_ && !failed_.contains(std::string(probe));
}

bool ZcrxReport::exact(std::string_view probe) const {
    return knows(probe) && !missed_.contains(std::string(probe));
}

bool ZcrxReport::is_zero_copy_queue(int number) const {
    return std::ranges::any_of(queues_,
                               [&](const auto& queue) { return queue.second.number == number; });
}

uint64_t ZcrxReport::bytes() const {
    uint64_t sum = 0;
    for (const auto& [pid, task] : tasks_) sum += task.bytes;
    return sum;
}

uint64_t ZcrxReport::copied() const {
    uint64_t sum = 0;
    for (const auto& [pid, task] : tasks_) sum += std::min(task.copied, task.bytes);
    return sum;
}

std::optional<double> ZcrxReport::zero_copy_percent() const {
    const uint64_t all = bytes();
    if (!knows("piece") || !exact("copy") || all == 0) return std::nullopt;
    return 100.0 * static_cast<double>(all - copied()) / static_cast<double>(all);
}

CopyReasons ZcrxReport::reasons() const {
    CopyReasons why;
    uint64_t elsewhere = 0, linear = 0;
    for (const ZcrxConnection& connection : connections_) {
        uint64_t here = 0;
        for (const auto& [queue, bytes] : connection.queues)
            (is_zero_copy_queue(queue) ? here : elsewhere) += bytes;
        // What came through another queue is copied whole, linear or not.
        linear += std::min(connection.linear, here);
    }
    why.other_queue = std::min(elsewhere, copied());
    why.not_split = std::min(linear, copied() - why.other_queue);
    why.other = copied() - why.other_queue - why.not_split;
    return why;
}

uint64_t ZcrxReport::errors() const {
    uint64_t sum = 0;
    for (const auto& [pid, task] : tasks_) {
        for (const auto& [code, count] : task.errors) sum += count;
        for (const auto& [code, count] : task.registered) sum += code != 0 ? count : 0;
    }
    return sum;
}

uint64_t ZcrxReport::starved() const {
    uint64_t sum = 0;
    for (const auto& [at, queue] : queues_) sum += queue.starved;
    return sum;
}

uint64_t ZcrxReport::cq_full() const {
    uint64_t sum = 0;
    for (const auto& [pid, task] : tasks_) sum += task.cq_full + task.overflows;
    return sum;
}

uint64_t ZcrxReport::lost() const {
    uint64_t sum = 0;
    for (const auto& [number, queue] : nic_) sum += queue.no_buffer;
    return sum;
}

std::optional<bool> ZcrxReport::not_armed_again(const ZcrxFile& file) const {
    if (!exact("armed") || !knows("receive")) return std::nullopt;
    uint64_t ended = 0;
    for (const int code : {-ENOSPC, -ENOMEM})
        if (const auto found = file.errors.find(code); found != file.errors.end())
            ended += found->second;
    return ended != 0 && file.armed < file.remote_ports.size() + ended;
}

std::optional<uint64_t> ZcrxReport::kept(const ZcrxQueue& queue) const {
    if (!exact("piece") || !queue.given_back) return std::nullopt;
    return queue.pieces - std::min(queue.pieces, *queue.given_back);
}

std::optional<uint64_t> ZcrxReport::unreadable(const ZcrxQueue& queue) const {
    // A kernel that has no function for control operations has none of them.
    if (!exact("closed") || !exact("returned") || controls_ != 0 || !queue.looked_at ||
        *queue.looked_at < queue.taken_back)
        return std::nullopt;
    return *queue.looked_at - queue.taken_back;
}

std::optional<uint64_t> ZcrxReport::not_held(const ZcrxQueue& queue) const {
    if (!exact("piece") || !exact("closed") || !queue.given_back) return std::nullopt;
    return *queue.given_back - std::min(*queue.given_back, queue.pieces);
}

std::optional<uint64_t> ZcrxReport::refill_entries(const ZcrxQueue& queue) const {
    std::optional<uint64_t> entries;
    for (const uint64_t at : queue.rings)
        if (const auto ring = rings_.find(at);
            ring != rings_.end() && ring->second.refill_entries != 0)
            entries = ring->second.refill_entries;
    return entries;
}

std::optional<uint64_t> ZcrxReport::overwritten(const ZcrxQueue& queue) const {
    const std::optional<uint64_t> room = refill_entries(queue);
    if (!knows("refill") || !queue.most_in_ring || !room) return std::nullopt;
    return *queue.most_in_ring - std::min(*queue.most_in_ring, *room);
}

std::optional<uint64_t> ZcrxReport::to_spare(const ZcrxQueue& queue) const {
    // An area is added by a control operation.
    if (!exact("area") || !queue.area_buffers || !knows("control") || controls_ != 0)
        return std::nullopt;
    return *queue.area_buffers - std::min(*queue.area_buffers, *queue.out_at_most);
}

Json ZcrxReport::to_json() const {
    Json json{{"measured", measured_}, {"missed", missed_}, {"not_counted", failed_}};
    if (const auto percent = zero_copy_percent()) json["zero_copy_percent"] = *percent;
    json["bytes"] = bytes();
    json["copied"] = copied();
    const CopyReasons why = reasons();
    json["copied_because"] = {
        {"other_queue", why.other_queue}, {"not_split", why.not_split}, {"other", why.other}};
    json["providers_left"] = left_;
    json["control_operations"] = knows("control") ? Json(controls_) : Json();
    json["tasks"] = Json::array();
    for (const auto& [pid, task] : tasks_)
        json["tasks"].push_back({{"pid", pid},
                                 {"name", task.name},
                                 {"bytes", task.bytes},
                                 {"pieces", task.pieces},
                                 {"copied", task.copied},
                                 {"cq_full", task.cq_full},
                                 {"overflows", task.overflows},
                                 {"no_buffer_to_copy", task.no_buffer_to_copy},
                                 {"registered", by_errno(task.registered)},
                                 {"errors", by_errno(task.errors)}});
    json["connections"] = Json::array();
    for (const ZcrxConnection& connection : connections_) {
        Json queues = Json::object();
        for (const auto& [queue, bytes] : connection.queues)
            queues[queue == kNoQueue ? std::string("none") : std::to_string(queue)] = bytes;
        json["connections"].push_back(
            {{"pid", connection.pid},
             {"local_port", connection.local_port},
             {"remote_port", connection.remote_port},
             {"bytes", connection.bytes},
             {"linear", connection.linear},
             {"copied", connection.copied ? Json(*connection.copied) : Json()},
             {"queues", std::move(queues)}});
    }
    // An address of the kernel says nothing; rings are numbered as they are met.
    std::map<uint64_t, size_t> rings;
    json["rings"] = Json::array();
    for (const auto& [at, queue] : queues_) {
        Json numbers = Json::array();
        for (const uint64_t ring : queue.rings)
            numbers.push_back(rings.try_emplace(ring, rings.size() + 1).first->second);
        json["rings"].push_back({{"queue", queue.number ? Json(*queue.number) : Json()},
                                 {"rings", std::move(numbers)},
                                 {"bytes", queue.bytes},
                                 {"pieces", queue.pieces},
                                 {"buffers", queue.buffers},
                                 {"starved", queue.starved},
                                 {"taken_back", queue.taken_back},
                                 {"given_back", or_null(queue.given_back)},
                                 {"looked_at", or_null(queue.looked_at)},
                                 {"most_in_ring", or_null(queue.most_in_ring)},
                                 {"kept", or_null(kept(queue))},
                                 {"refused",
                                  {{"unreadable", or_null(unreadable(queue))},
                                   {"not_held", or_null(not_held(queue))},
                                   {"overwritten", or_null(overwritten(queue))}}},
                                 {"area_buffers", or_null(queue.area_buffers)},
                                 {"out_at_opening", or_null(queue.out_at_opening)},
                                 {"out_at_most", or_null(queue.out_at_most)},
                                 {"to_spare", or_null(to_spare(queue))}});
    }
    json["nic_queues"] = Json::array();
    for (const auto& [number, queue] : nic_)
        json["nic_queues"].push_back({{"queue", number},
                                      {"packets", queue.packets},
                                      {"split", queue.split},
                                      {"no_buffer", queue.no_buffer}});
    json["over_time"] = Json::array();
    for (const ZcrxMoment& moment : moments_)
        json["over_time"].push_back({{"seconds", moment.seconds},
                                     {"bytes", moment.bytes},
                                     {"pieces", moment.pieces},
                                     {"returned", moment.returned},
                                     {"buffers", moment.buffers}});
    return json;
}

}  // namespace zcrxlab
