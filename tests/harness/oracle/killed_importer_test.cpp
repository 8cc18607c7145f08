// A recorded trace: a process that had imported an ifq was killed while it received.
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "harness/oracle/oracle.hpp"
#include "harness/trace/trace.hpp"

namespace zcrxlab {
namespace {

// Of a random list on gve, cut down to what I2 looks at. Ring 19 is that of the killed process.
constexpr const char* kRecorded =
    R"({"buffer_size":4096,"cq_entries":4096,"event":"IfqRegistered","event_data":0,"events":0,"ifq":1,"interface":"eth0","mixed":false,"queue":1,"ring":3,"rq_entries":2048,"rq_of_kernel":true,"sq_entries":16,"statistics":false,"t":0,"thread":186,"zcrx_id":0,"zero_copy_expected":true}
{"address":139814242693120,"area":0,"event":"AreaRegistered","ifq":1,"length":8388608,"memory":"memfd","pages":[],"t":1477179}
{"event":"RequestSubmitted","ifq":1,"limit":0,"poll_first":false,"request":4294967298,"ring":3,"stream":1,"t":27526635,"thread":186}
{"big":true,"event":"CqeSeen","expected":0,"flags":2,"ifq":1,"mismatch":null,"offset":8134656,"padding":0,"position":0,"request":4294967298,"result":4096,"seen":0,"stream":1,"t":27762482}
{"big":true,"event":"CqeSeen","expected":0,"flags":2,"ifq":1,"mismatch":null,"offset":8138752,"padding":0,"position":4096,"request":4294967298,"result":844,"seen":0,"stream":1,"t":27774896}
{"event":"PeerClosed","reset":false,"stream":1,"t":34095385,"thread":188}
{"event":"RequestSubmitted","ifq":1,"limit":0,"poll_first":false,"request":4299262263297,"ring":19,"stream":1001,"t":52595845,"thread":189}
{"big":true,"event":"CqeSeen","expected":0,"flags":2,"ifq":1,"mismatch":null,"offset":8306688,"padding":0,"position":0,"request":4299262263297,"result":4096,"seen":0,"stream":1001,"t":54727206}
{"big":true,"event":"CqeSeen","expected":0,"flags":2,"ifq":1,"mismatch":null,"offset":8310784,"padding":0,"position":4096,"request":4299262263297,"result":2844,"seen":0,"stream":1001,"t":54765290}
{"big":true,"event":"CqeSeen","expected":0,"flags":2,"ifq":1,"mismatch":null,"offset":8314880,"padding":0,"position":6940,"request":4299262263297,"result":970,"seen":0,"stream":1001,"t":54770204}
{"event":"RingClosed","ifq":1,"ifq_lives_on":true,"interrupted":true,"ring":19,"t":473412909,"thread":186}
{"big":true,"event":"CqeSeen","expected":0,"flags":0,"ifq":1,"mismatch":null,"offset":0,"padding":0,"position":124586,"request":4294967298,"result":0,"seen":0,"stream":1,"t":517532505}
{"event":"CqRead","lost":0,"overruns":0,"ring":3,"t":530484564,"thread":186}
{"event":"RingClosed","ifq":1,"ifq_lives_on":false,"interrupted":false,"ring":3,"t":538845889,"thread":186}
)";

std::vector<Event> recorded() {
    std::vector<Event> events;
    std::istringstream lines(kRecorded);
    for (std::string line; std::getline(lines, line);) {
        Result<Event> event = event_from_json(line);
        EXPECT_TRUE(event) << line;
        if (event) events.push_back(std::move(*event));
    }
    return events;
}

RingClosed& first_close(std::vector<Event>& events) {
    for (Event& event : events)
        if (auto* closed = std::get_if<RingClosed>(&event.body)) return *closed;
    ADD_FAILURE() << "no ring is closed";
    std::abort();
}

std::string sentences(const std::vector<Event>& events) {
    std::string all;
    for (const Violation& violation : check_completions(events)) all += violation.sentence + "\n";
    return all;
}

TEST(KilledImporter, ItsRequestsEndWithItsRing) {
    EXPECT_EQ(sentences(recorded()), "");
}

// As it was recorded when a closed ring was one of an ifq, and this ifq lived on.
TEST(KilledImporter, WithoutANamedRingNothingSaysThatTheyEnded) {
    std::vector<Event> events = recorded();
    std::erase_if(events, [](const Event& event) {
        const auto* closed = std::get_if<RingClosed>(&event.body);
        return closed != nullptr && closed->ifq_lives_on;
    });
    EXPECT_EQ(sentences(events),
              "request 4299262263297 (stream 1001) never got its final CQE, after 7910 bytes\n"
              "nothing says whether the CQ of ring 19 lost a CQE (no CqRead)\n");
}

// The exporter's request is not excused by the end of the importer.
TEST(KilledImporter, TheOtherRingsRequestsGoOn) {
    std::vector<Event> events = recorded();
    std::erase_if(events, [](const Event& event) {
        const auto* cqe = std::get_if<CqeSeen>(&event.body);
        return cqe != nullptr && cqe->result == 0;
    });
    EXPECT_EQ(sentences(events),
              "request 4294967298 (stream 1) never got its final CQE, after 4940 bytes\n");
    first_close(events).ring = 0;
    EXPECT_EQ(sentences(events), "");
}

}  // namespace
}  // namespace zcrxlab
