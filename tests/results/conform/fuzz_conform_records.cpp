// A guest that runs a program round by round may tell anything: each round is still judged, and red
// or blocked with a sentence.
//
// reaches 50 % of results/conform/judge.cpp
// reaches 50 % of results/conform/judge_client.cpp
// reaches 55 % of results/conform/conform_records.cpp
// reaches 60 % of harness/conform/peer_account.cpp
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "results/conform/conform_records.hpp"
#include "results/conform/stalling_bugs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    // A kernel that stops streams by itself.
    static const std::vector<StallingBug> bugs{{"burst-then-silence", "it does so"}};
    ConformRecords records([](ConformRound round) {
        round.stalling_bugs = bugs;
        for (const bool with_client : {false, true}) {
            round.with_client = with_client;
            const ConformVerdict verdict = judge(round, Check::kNone);
            if ((verdict.status == TestStatus::kPassed) != verdict.sentence.empty()) std::abort();
        }
        round.with_client = false;
        for (const Check check : {Check::kEcho, Check::kSha256}) {
            const ConformVerdict verdict = judge(round, check);
            if ((verdict.status == TestStatus::kPassed) != verdict.sentence.empty()) std::abort();
        }
        if (round.peer && peer_account_from_json(to_json(*round.peer)).value() != *round.peer)
            std::abort();
    });
    int starts = 0;
    // A byte for the type, then what the record has, up to a NUL, as often as there is some.
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    while (rest.size() > 1) {
        const auto type = static_cast<RecordType>(static_cast<uint8_t>(rest[0]));
        const std::string content(rest.substr(1, rest.find('\0', 1) - 1));
        rest.remove_prefix(std::min(rest.size(), content.size() + 2));
        starts += records.take({type, content}) ? 1 : 0;
    }
    if (starts > 1) std::abort();
    return 0;
}
