// Judges how a program ended.
#include "results/exec/exec_outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "harness/base/json.hpp"
#include "harness/base/number.hpp"

namespace zcrxlab {

using Json = nlohmann::json;

std::string_view name_of(ExecEnd end) {
    switch (end) {
        case ExecEnd::kExited:
            return "exited";
        case ExecEnd::kSignalled:
            return "signalled";
        case ExecEnd::kOutOfMemory:
            return "out_of_memory";
        case ExecEnd::kTimedOut:
            return "timed_out";
        case ExecEnd::kEndedByUs:
            return "ended_by_us";
        case ExecEnd::kRefused:
            return "refused";
        case ExecEnd::kGuestLost:
            break;
    }
    return "guest_lost";
}

std::pair<int64_t, std::string> oom_victim(std::string_view line) {
    // Also "Memory cgroup out of memory: Killed process ...".
    constexpr std::string_view kKilled = "ut of memory: Killed process ";
    const size_t at = line.find(kKilled);
    if (at == std::string_view::npos) return {-1, {}};
    line.remove_prefix(at + kKilled.size());
    const auto read = take_number<int64_t>(line);
    if (!read) return {-1, {}};
    const int64_t pid = *read;
    const size_t open = line.find('(');
    const size_t close = line.find(')', open);
    if (open == std::string_view::npos || close == std::string_view::npos) return {pid, {}};
    return {pid, std::string(line.substr(open + 1, close - open - 1))};
}

void ExecOutcome::program(std::string_view text) {
    const Result<Json> parsed = parse_json_object(text);
    if (!parsed) return;
    const Json& json = *parsed;
    const std::string event = get_text(json, "event");
    if (event == "started") started_ = true;
    if (event == "refused") refused_ = get_text(json, "error");
    if (event == "modules") missing_modules_ = get_all<std::string>(json, "missing");
    if (event != "ended") return;
    ended_ = true;
    exit_ = get_or(json, "exit", 255);
    signal_ = get_or(json, "signal", 0);
    pid_ = get_or<int64_t>(json, "pid", -1);
    timed_out_ = get_or(json, "timed_out", false);
    asked_ = get_or(json, "asked", false);
    seconds_ = get_or(json, "seconds", seconds_);
    for (std::string& name : get_all<std::string>(json, "left")) left_.push_back(std::move(name));
    const Json* peer = member(json, "peer");
    if (peer == nullptr || !peer->is_object()) return;
    peer_.wanted = true;
    peer_.started = get_or(*peer, "started", false);
    peer_.killed = get_or(*peer, "killed", false);
    peer_.ended = peer->contains("exit");
    peer_.exit = get_or(*peer, "exit", 0);
    peer_.error = get_text(*peer, "error");
}

void ExecOutcome::kernel_log(std::string_view text) {
    const Result<Json> json = parse_json_object(text);
    if (!json) return;
    for (const std::string& line : get_all<std::string>(*json, "lines")) {
        auto [pid, name] = oom_victim(line);
        if (pid >= 0) victims_.push_back({pid, std::move(name)});
    }
}

ExecEnd ExecOutcome::end(const Watch& watch) const {
    if (!refused_.empty()) return ExecEnd::kRefused;
    if (watch.state() != VmState::kDone || !ended_) return ExecEnd::kGuestLost;
    if (timed_out_) return ExecEnd::kTimedOut;
    if (asked_) return ExecEnd::kEndedByUs;
    const bool victim = std::any_of(victims_.begin(), victims_.end(),
                                    [&](const Victim& one) { return one.pid == pid_; });
    if (signal_ == SIGKILL && victim) return ExecEnd::kOutOfMemory;
    return signal_ != 0 ? ExecEnd::kSignalled : ExecEnd::kExited;
}

std::vector<std::string> ExecOutcome::sentences(const Watch& watch, const std::string& name,
                                                const std::string& memory, unsigned timeout) const {
    std::vector<std::string> said;
    switch (end(watch)) {
        case ExecEnd::kRefused:
            said.push_back(
                fmt::format("{} could not be started in the guest: {}.", name, refused_));
            break;
        case ExecEnd::kTimedOut:
            said.push_back(fmt::format(
                "{} still ran after {} s and was killed; --timeout allows more.", name, timeout));
            break;
        case ExecEnd::kOutOfMemory:
            said.push_back(
                fmt::format("{} was killed because the guest had no memory left; it had "
                            "{}, and --memory gives it more.",
                            name, memory));
            break;
        case ExecEnd::kSignalled:
            said.push_back(fmt::format("{} was killed by signal {} ({}).", name, signal_,
                                       ::strsignal(signal_)));
            break;
        case ExecEnd::kEndedByUs:
            said.push_back(fmt::format("{} was ended, since its peer was done.", name));
            break;
        case ExecEnd::kExited:
        case ExecEnd::kGuestLost:
            break;
    }
    if (end(watch) != ExecEnd::kOutOfMemory)
        for (const Victim& victim : victims_)
            said.push_back(
                fmt::format("The guest had no memory left and killed {} ({}); it had {}, "
                            "and --memory gives it more.",
                            victim.name, victim.pid, memory));
    if (!left_.empty())
        said.push_back(fmt::format("Still running when it ended, and gone with the guest: {}.",
                                   fmt::join(left_, ", ")));
    if (!missing_modules_.empty())
        said.push_back(
            fmt::format("The guest's kernel asked for modules that its packages do not have: {}.",
                        fmt::join(missing_modules_, ", ")));
    if (!peer_.wanted) return said;
    if (!peer_.error.empty()) {
        said.push_back("The peer could not be started: " + peer_.error + ".");
    } else if (!peer_.started) {
        said.push_back("The peer was never started, because nothing listened.");
    } else if (peer_.killed) {
        said.push_back("The peer still ran when the program had ended, and was killed.");
    } else if (peer_.ended && peer_.exit != 0) {
        said.push_back(fmt::format("The peer exited with code {}.", peer_.exit));
    }
    return said;
}

Json ExecOutcome::to_json(const Watch& watch) const {
    Json json{{"ending", name_of(end(watch))}};
    if (!refused_.empty()) json["error"] = refused_;
    if (!watch.reason().empty()) json["guest"] = watch.reason();
    if (ended_) {
        json["exit"] = exit_;
        if (signal_ != 0) json["signal"] = signal_;
        json["seconds"] = seconds_;
        json["left_running"] = left_;
    }
    if (peer_.wanted) {
        json["peer"] = {{"started", peer_.started}, {"killed", peer_.killed}};
        if (peer_.ended) json["peer"]["exit"] = peer_.exit;
        if (!peer_.error.empty()) json["peer"]["error"] = peer_.error;
    }
    json["missing_modules"] = missing_modules_;
    Json victims = Json::array();
    for (const Victim& victim : victims_)
        victims.push_back({{"pid", victim.pid}, {"name", victim.name}});
    json["out_of_memory"] = victims;
    return json;
}

}  // namespace zcrxlab
