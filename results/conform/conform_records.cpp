// Gathers the records of a round.
#include "results/conform/conform_records.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/base/json.hpp"
#include "harness/conform/sha256.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::json;

// More than any account has; a guest may print what it likes.
constexpr size_t kMostOfPeer = 16 << 20;
constexpr size_t kMostOfProgram = 16 << 20;

ReceiverEnd end_from(const Json& json) {
    ReceiverEnd end{.told = true};
    end.exit = get_or(json, "exit", 0);
    end.signal = get<int>(json, "signal");
    end.timed_out = get_or(json, "timed_out", false);
    end.by_itself = !get_or(json, "asked", false) && !end.timed_out;
    if (const Json* const peer = member(json, "peer"))
        end.listened = get_or(*peer, "started", false);
    return end;
}

// The last line that is one; what else a peer prints are complaints.
std::optional<PeerAccount> account_in(std::string_view text) {
    std::optional<PeerAccount> account;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        if (auto read = peer_account_from_json(text.substr(0, end))) account = std::move(*read);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return account;
}

}  // namespace

bool ConformRecords::take(const Record& record) {
    if (record.type == RecordType::kOutput) take_output(record.json);
    if (record.type != RecordType::kProgram) return false;
    const bool before = started_;
    take_program(record.json);
    return !before && started_;
}

void ConformRecords::take_output(std::string_view bytes) {
    if (bytes.empty()) return;
    const auto stream = static_cast<RecordStream>(bytes.front());
    bytes.remove_prefix(1);
    if (stream == RecordStream::kPeer) {
        // The account is the last of it, whatever a client says before.
        if (peer_.size() + bytes.size() > kMostOfPeer) peer_.erase(0, peer_.size() / 2);
        if (peer_.size() + bytes.size() <= kMostOfPeer) peer_.append(bytes);
    }
    if (stream == RecordStream::kOutput && program_.size() + bytes.size() <= kMostOfProgram)
        program_.append(bytes);
}

void ConformRecords::take_program(std::string_view text) {
    const auto json = parse_json_object(text);
    if (!json) return;
    const std::string event = get_text(*json, "event");
    if (event == "round") {
        round_.reset();
        const Situation* const situation = find_situation(get_text(*json, "name"));
        if (situation == nullptr) return;
        round_ = ConformRound{.situation = situation};
        report_ = ZcrxReport();
        peer_.clear();
        program_.clear();
    } else if (event == "started") {
        started_ = true;
    } else if (!round_) {
        return;
    } else if (event == "refused") {
        round_->program.refused = get_text(*json, "error");
    } else if (event == "ended") {
        round_->program = end_from(*json);
    } else if (event == "zcrx") {
        report_.program(text);
        round_->kernel = facts_of(report_);
        round_->peer = account_in(peer_);
        round_->printed = sha256_in(program_);
        const ConformRound over = *std::move(round_);
        round_.reset();
        judged_(over);
    }
}

}  // namespace zcrxlab
