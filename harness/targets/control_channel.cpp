// Lines and bytes of the control channel, and what they say.
#include "harness/targets/control_channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "harness/base/json.hpp"
#include "harness/base/slowness.hpp"

namespace zcrxlab {
namespace {

// No answer line is longer; a log answer says how many bytes follow, at most this many.
constexpr size_t kLongestLine = 4U << 20;
constexpr uint64_t kLargestLog = 1U << 30;
// Bytes of each text of a forbidden request; those of our devices are far shorter.
constexpr size_t kLongestText = 1000;
constexpr uint32_t kPorts = 2;
// Lines that an earlier user may have left behind.
constexpr int kStaleLines = 1000;

Result<Fd> connect_unix(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return Error{ENAMETOOLONG, "the path of the control socket is too long: " + path};
    std::memcpy(address.sun_path, path.c_str(), path.size());
    Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd) return error_from_errno("make a UNIX socket");
    if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        return error_from_errno("connect to the control socket " + path);
    return fd;
}

// Reads one of the list. False if something is missing, of the wrong kind or too much.
bool read_asked(const nlohmann::json& from, ForbiddenAsked& asked) {
    const auto number = get<uint64_t>(from, "number");
    const auto port = get<uint32_t>(from, "port");
    if (!number || !port || *port >= kPorts) return false;
    asked.number = *number;
    asked.port = *port;
    const std::pair<const char*, std::string*> texts[] = {
        {"kind", &asked.kind}, {"queue", &asked.queue}, {"what", &asked.what}};
    for (const auto& [name, text] : texts) {
        auto value = get<std::string>(from, name);
        if (!value || value->size() > kLongestText) return false;
        *text = std::move(*value);
    }
    const std::pair<const char*, std::optional<uint64_t>*> numbers[] = {
        {"descriptor", &asked.descriptor}, {"address", &asked.address}};
    for (const auto& [name, value] : numbers) {
        if (!from.contains(name)) continue;
        *value = get<uint64_t>(from, name);
        if (!*value) return false;
    }
    return !asked.kind.empty() && !asked.what.empty();
}

Error no_answer(std::string_view json) {
    return {EPROTO, "this is no answer of a control channel: " + std::string(json.substr(0, 200))};
}

}  // namespace

Result<void> check_answer(std::string_view json) {
    const auto answer = parse_json(json);
    const auto ok = answer ? get<bool>(*answer, "ok") : std::nullopt;
    if (!ok) return no_answer(json);
    if (*ok) return {};
    return Error{EREMOTEIO, "the device refused: " + get_or(*answer, "error", std::string(json))};
}

Result<LogAnnouncement> parse_log_answer(std::string_view json) {
    if (auto ok = check_answer(json); !ok) return ok.error();
    const auto answer = parse_json(json);
    LogAnnouncement log;
    const std::pair<const char*, uint64_t*> members[] = {
        {"first", &log.first}, {"last", &log.last},       {"newest", &log.newest},
        {"lost", &log.lost},   {"entries", &log.entries}, {"flows", &log.flows},
        {"bytes", &log.bytes}};
    for (const auto& [name, value] : members) {
        const auto number = get<uint64_t>(*answer, name);
        if (!number) return no_answer(json);
        *value = *number;
    }
    if (log.entries > kLargestLog / sizeof(DmaLogEntry) ||
        log.flows > kLargestLog / sizeof(DmaLogFlow) ||
        log.bytes != log.entries * sizeof(DmaLogEntry) + log.flows * sizeof(DmaLogFlow)) {
        return Error{EPROTO, "the announced log has " + std::to_string(log.bytes) + " bytes for " +
                                 std::to_string(log.entries) + " entries and " +
                                 std::to_string(log.flows) + " flows"};
    }
    return log;
}

Result<DmaWrites> parse_log_bytes(const LogAnnouncement& announced,
                                  std::span<const std::byte> bytes) {
    const size_t entry_bytes = announced.entries * sizeof(DmaLogEntry);
    const size_t flow_bytes = announced.flows * sizeof(DmaLogFlow);
    if (bytes.size() != entry_bytes + flow_bytes) {
        return Error{EPROTO, "the log has " + std::to_string(bytes.size()) + " bytes, not the " +
                                 std::to_string(entry_bytes + flow_bytes) + " announced"};
    }
    DmaWrites writes;
    writes.lost = announced.lost;
    writes.entries.resize(announced.entries);
    writes.flows.resize(announced.flows);
    if (entry_bytes != 0) std::memcpy(writes.entries.data(), bytes.data(), entry_bytes);
    if (flow_bytes != 0) std::memcpy(writes.flows.data(), bytes.data() + entry_bytes, flow_bytes);
    return writes;
}

Result<ForbiddenList> parse_forbidden_answer(std::string_view json, uint64_t after) {
    if (auto ok = check_answer(json); !ok) return ok.error();
    const auto answer = parse_json(json);
    const auto newest = get<uint64_t>(*answer, "newest");
    const auto lost = get<uint64_t>(*answer, "lost");
    const auto asked = answer->find("asked");
    if (!newest || !lost || asked == answer->end() || !asked->is_array()) return no_answer(json);
    ForbiddenList list{.newest = *newest, .lost = *lost, .asked = {}};
    // Those that follow are those behind the lost ones, without a gap, or there are none.
    const uint64_t there = list.newest > after ? list.newest - after : 0;
    if (list.lost > there || asked->size() > there - list.lost ||
        (asked->empty() && there != list.lost))
        return no_answer(json);
    uint64_t number = after + list.lost;
    for (const nlohmann::json& one : *asked) {
        ForbiddenAsked& read = list.asked.emplace_back();
        if (!one.is_object() || !read_asked(one, read) || read.number != ++number)
            return no_answer(json);
    }
    return list;
}

ControlChannel::ControlChannel(Fd fd) : fd_(std::move(fd)) {
    ::fcntl(fd_.get(), F_SETFL, O_NONBLOCK);
}

Result<ControlChannel> ControlChannel::open(const std::string& path,
                                            std::chrono::milliseconds patience) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) {
        Error error = error_from_errno("find the control channel " + path);
        error.sentence += "; set ZCRXLAB_CONTROL to the device or socket";
        return error;
    }
    Fd fd;
    if (S_ISSOCK(about.st_mode)) {
        auto connected = connect_unix(path);
        if (!connected) return connected.error();
        fd = std::move(*connected);
    } else {
        fd = Fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY));
        if (!fd) return error_from_errno("open the control channel " + path);
    }
    ControlChannel channel(std::move(fd));
    channel.timeout = patience;
    if (auto met = channel.get_in_step(); !met) return met.error();
    return channel;
}

// Answers to an earlier user may still be on their way, even the middle of a log. A token that
// nobody else used tells our answer from theirs.
Result<void> ControlChannel::get_in_step() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const std::string token = std::to_string(::getpid()) + "." + std::to_string(now);
    const nlohmann::json ping = {{"do", "ping"}, {"token", token}};
    if (auto sent = send(ping.dump()); !sent) return sent;
    for (int i = 0; i < kStaleLines; ++i) {
        auto line = read_line();
        if (!line) return line.error();
        const auto answer = parse_json(*line);
        if (answer && get<std::string>(*answer, "token") == token) return {};
    }
    return Error{EPROTO, "the control channel does not answer a ping with its token"};
}

Result<void> ControlChannel::wait_for(short events) {
    pollfd waiting{fd_.get(), events, 0};
    const auto bound = scaled(timeout);
    for (;;) {
        const int ready = ::poll(&waiting, 1, static_cast<int>(bound.count()));
        if (ready < 0 && errno == EINTR) continue;
        if (ready < 0) return error_from_errno("wait for the control channel");
        if (ready == 0) {
            return Error{ETIMEDOUT, "the control channel was silent for " +
                                        std::to_string(bound.count()) +
                                        " ms; does the device process still run?"};
        }
        if ((waiting.revents & events) != 0) return {};
        return Error{EPIPE, "the control channel was closed by the device"};
    }
}

Result<void> ControlChannel::send(std::string_view line) {
    std::string rest(line);
    rest += '\n';
    while (!rest.empty()) {
        // A device that went away must not end us by a signal.
        ssize_t written = ::send(fd_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
        if (written < 0 && errno == ENOTSOCK)
            written = ::write(fd_.get(), rest.data(), rest.size());
        if (written > 0) {
            rest.erase(0, static_cast<size_t>(written));
            continue;
        }
        if (written < 0 && errno == EPIPE)
            return Error{EPIPE, "the control channel was closed by the device"};
        if (written < 0 && errno != EAGAIN && errno != EINTR)
            return error_from_errno("write to the control channel");
        if (auto ready = wait_for(POLLOUT); !ready) return ready;
    }
    return {};
}

Result<void> ControlChannel::fill() {
    std::byte bytes[65536];
    for (;;) {
        const ssize_t got = ::read(fd_.get(), bytes, sizeof bytes);
        if (got > 0) {
            buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<ptrdiff_t>(start_));
            start_ = 0;
            buffer_.insert(buffer_.end(), bytes, bytes + got);
            return {};
        }
        if (got == 0) return Error{EPIPE, "the control channel was closed by the device"};
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return error_from_errno("read the control channel");
        if (auto ready = wait_for(POLLIN); !ready) return ready;
    }
}

Result<std::string> ControlChannel::read_line() {
    size_t searched = start_;
    for (;;) {
        const auto end = std::find(buffer_.begin() + static_cast<ptrdiff_t>(searched),
                                   buffer_.end(), std::byte{'\n'});
        if (end != buffer_.end()) {
            const auto* text = reinterpret_cast<const char*>(buffer_.data());
            const auto at = static_cast<size_t>(end - buffer_.begin());
            std::string line(text + start_, at - start_);
            start_ = at + 1;
            return line;
        }
        const size_t unread = buffer_.size() - start_;
        if (unread > kLongestLine)
            return Error{EPROTO, "the control channel sent a line without an end"};
        if (auto filled = fill(); !filled) return filled.error();
        searched = start_ + unread;
    }
}

Result<std::vector<std::byte>> ControlChannel::read_bytes(size_t count) {
    while (buffer_.size() - start_ < count) {
        if (auto filled = fill(); !filled) return filled.error();
    }
    const auto begin = buffer_.begin() + static_cast<ptrdiff_t>(start_);
    std::vector<std::byte> bytes(begin, begin + static_cast<ptrdiff_t>(count));
    start_ += count;
    return bytes;
}

Result<std::string> ControlChannel::call(std::string_view json) {
    if (json.find('\n') != std::string_view::npos)
        return Error{EINVAL, "a command of the control channel is one line"};
    if (auto sent = send(json); !sent) return sent.error();
    auto line = read_line();
    if (!line) return line;
    if (auto ok = check_answer(*line); !ok) return ok.error();
    return line;
}

Result<ControlChannel::Log> ControlChannel::log(uint64_t after, uint32_t limit) {
    nlohmann::json command = {{"do", "log"}, {"after", after}};
    if (limit != 0) command["limit"] = limit;
    auto line = call(command.dump());
    if (!line) return line.error();
    auto announced = parse_log_answer(*line);
    if (!announced) return announced.error();
    auto bytes = read_bytes(announced->bytes);
    if (!bytes) return bytes.error();
    auto writes = parse_log_bytes(*announced, *bytes);
    if (!writes) return writes.error();
    return Log{announced->first, announced->last, announced->newest, std::move(*writes)};
}

// A driver that goes on asking does not keep us here: the first answer says how far to read.
Result<ForbiddenList> ControlChannel::forbidden(uint64_t after) {
    std::optional<ForbiddenList> all;
    for (;;) {
        auto line = call(nlohmann::json({{"do", "forbidden"}, {"after", after}}).dump());
        if (!line) return line.error();
        auto part = parse_forbidden_answer(*line, after);
        if (!part) return part.error();
        if (!all) all = ForbiddenList{.newest = part->newest, .lost = 0, .asked = {}};
        all->lost += part->lost;
        if (part->asked.empty()) break;
        after = part->asked.back().number;
        all->asked.insert(all->asked.end(), std::make_move_iterator(part->asked.begin()),
                          std::make_move_iterator(part->asked.end()));
        if (after >= all->newest) break;
    }
    all->newest = std::max(all->newest, after);
    return *std::move(all);
}

}  // namespace zcrxlab
