// Explaining an errno: what is read, what is said first, and that the contract's errnos are all
// known.
#include <gtest/gtest.h>

#include <cerrno>
#include <regex>
#include <set>

#include "harness/base/errno_from.hpp"
#include "scenarios/contract/rows.hpp"
#include "scenarios/explain/explain.hpp"

namespace zcrxlab {
namespace {

TEST(Explain, TakesAnErrnoAsPeopleHaveIt) {
    for (const char* text : {"EEXIST", "eexist", "17", "-17"}) EXPECT_EQ(errno_from(text), EEXIST);
    for (const char* text : {"", "-", "0", "EXIST", "17x", "4711", "-EEXISTS", "99999999999"})
        EXPECT_FALSE(errno_from(text)) << text;
}

TEST(Explain, EveryCauseHasAnOperationAndAName) {
    for (const Cause& cause : causes()) {
        EXPECT_TRUE(is_operation(cause.operation)) << cause.operation;
        EXPECT_NE(cause.sentence, "");
        EXPECT_EQ(errno_from(std::to_string(cause.code)), cause.code);
        EXPECT_EQ(std::string(cause.sentence).back() == '.', false) << cause.sentence;
    }
}

TEST(Explain, EveryErrnoOfTheContractHasACause) {
    std::set<int> known;
    for (const Cause& cause : causes()) known.insert(cause.code);
    size_t named = 0;
    for (const ContractRow& row : contract_rows()) {
        const std::string sentence(row.promise);
        const std::regex name(R"(\bE[A-Z]{3,}\b)");
        for (std::sregex_iterator at(sentence.begin(), sentence.end(), name), end; at != end;
             ++at) {
            const std::optional<int> code = errno_from(at->str());
            if (!code) continue;
            ++named;
            EXPECT_TRUE(known.contains(*code)) << row.id << " names " << at->str();
        }
    }
    EXPECT_GT(named, 50U);
}

TEST(Explain, WhatIsSoHereComesFirst) {
    Facts facts;
    facts.interface = "eth0";
    facts.queue = 3;
    facts.queues = 4;
    facts.header_split = false;
    const std::string text = explain_errno(EINVAL, "register", facts);
    const size_t first = text.find("  - ");
    EXPECT_EQ(text.find("header split is off"), first + 4);
    EXPECT_NE(text.find("[so it is here]"), std::string::npos);
    EXPECT_NE(text.find("ethtool -G eth0 tcp-data-split on"), std::string::npos);
}

TEST(Explain, WhatIsNotSoHereComesLastAndNeedsNoMending) {
    Facts facts;
    facts.interface = "eth0";
    facts.queue = 1;
    facts.queues = 4;
    const std::string text = explain_errno(ERANGE, "register", facts);
    EXPECT_GT(text.find("no such receive queue [not so here]"), text.find("larger than what lies"));
    EXPECT_EQ(text.find("ethtool -l"), std::string::npos);
    facts.queue = 4;
    EXPECT_NE(explain_errno(ERANGE, "", facts).find("no such receive queue [so it is here]"),
              std::string::npos);
}

TEST(Explain, WhatIsUnknownIsSaidWithoutJudgement) {
    const std::string text = explain_errno(EEXIST, "", Facts{});
    EXPECT_EQ(text.find("here]"), std::string::npos);
    EXPECT_NE(text.find("another zcrx instance"), std::string::npos);
    EXPECT_NE(text.find("registering a queue"), std::string::npos);
    EXPECT_NE(text.find("ip link set IF xdp off"), std::string::npos);
}

TEST(Explain, AnErrnoThatIsNotOfTheContractIsSaidToBe) {
    EXPECT_NE(explain_errno(EXDEV, "", Facts{}).find("knows no EXDEV"), std::string::npos);
    EXPECT_NE(explain_errno(ENOSPC, "register", Facts{}).find("from register"), std::string::npos);
}

// That of Debian 12 knows neither tcp-data-split nor hds-thresh.
TEST(Explain, WhatNotEveryEthtoolKnowsIsNotTheOnlyCure) {
    for (const Cause& cause : causes()) {
        const bool asks = cause.mend.find("tcp-data-split") != cause.mend.npos ||
                          cause.mend.find("hds-thresh") != cause.mend.npos;
        EXPECT_TRUE(!asks || cause.mend.starts_with("zcrxlab lab split IF;")) << cause.mend;
    }
    Facts facts;
    facts.interface = "eth1";
    facts.header_split = false;
    EXPECT_NE(explain_errno(EINVAL, "register", facts)
                  .find("      zcrxlab lab split eth1; or, with ethtool 6.7"),
              std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
