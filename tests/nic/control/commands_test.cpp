// Tests of the control channel's commands, without sockets.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "nic/control/commands.hpp"
#include "nic/control/fault_file.hpp"
#include "tests/fakes/fake_wire.hpp"

namespace zcrxlab::nic {
namespace {

using nlohmann::json;

class ControlCommands : public testing::Test {
  protected:
    ControlCommands()
        : cable({[] { return uint64_t{5}; }, nullptr,
                 [this](const WireEvent& event) { events.push_back(event); }, 1024}),
          commands(cable, "1.2.3", [](unsigned port) {
              return std::vector<std::pair<std::string, uint64_t>>{{"more", port + 7}};
          }) {
        for (unsigned port : {0U, 1U}) cable.attach(port, &devices[port]);
    }

    json ask(const std::string& line) {
        answer = commands.handle(line);
        EXPECT_EQ(answer.line.find('\n'), std::string::npos);
        json object = json::parse(answer.line, nullptr, false);
        EXPECT_TRUE(object.is_object()) << answer.line;
        return object;
    }
    std::string refused(const std::string& line) {
        json object = ask(line);
        EXPECT_EQ(object["ok"], false) << line;
        EXPECT_TRUE(answer.bytes.empty());
        return object.value("error", "");
    }
    std::string rule_refused(const std::string& rule) {
        std::string error = refused(R"({"do":"fault","rule":)" + rule + "}");
        EXPECT_TRUE(cable.faults().empty()) << rule;
        return error;
    }

    std::vector<WireEvent> events;
    FakeWireDevice devices[2];
    Cable cable;
    Commands commands;
    Answer answer;
};

TEST_F(ControlCommands, Ping) {
    EXPECT_EQ(ask(R"({"do":"ping"})"), (json{{"ok", true}, {"version", "1.2.3"}}));
    EXPECT_EQ(ask(R"({"do":"ping","token":"7.a"})"),
              (json{{"ok", true}, {"version", "1.2.3"}, {"token", "7.a"}}));
    EXPECT_EQ(ask(R"({"do":"ping","token":7})"), (json{{"ok", true}, {"version", "1.2.3"}}));
}

TEST_F(ControlCommands, ForbiddenRequestsAreTold) {
    EXPECT_EQ(ask(R"({"do":"forbidden"})"),
              (json{{"ok", true}, {"newest", 0}, {"lost", 0}, {"asked", json::array()}}));
    cable.forbid(1, {.kind = ForbiddenKind::kDma,
                     .queue = "transmit queue 3",
                     .descriptor = 17,
                     .address = 4096,
                     .what = "a buffer is not mapped"});
    cable.forbid(0, {.kind = ForbiddenKind::kRegister, .what = "nothing is there"});
    json told = ask(R"({"do":"forbidden","after":0})");
    EXPECT_EQ(told["newest"], 2);
    ASSERT_EQ(told["asked"].size(), 2U);
    EXPECT_EQ(told["asked"][0], (json{{"number", 1},
                                      {"port", 1},
                                      {"kind", "dma"},
                                      {"queue", "transmit queue 3"},
                                      {"descriptor", 17},
                                      {"address", 4096},
                                      {"what", "a buffer is not mapped"}}));
    EXPECT_EQ(told["asked"][1], (json{{"number", 2},
                                      {"port", 0},
                                      {"kind", "register"},
                                      {"queue", ""},
                                      {"what", "nothing is there"}}));
    EXPECT_EQ(ask(R"({"do":"forbidden","after":1})")["asked"].size(), 1U);
    EXPECT_EQ(ask(R"({"do":"forbidden","after":2})")["asked"].size(), 0U);
    EXPECT_FALSE(refused(R"({"do":"forbidden","after":-1})").empty());
    // For people it is in the device's log.
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].what, "forbidden");
    EXPECT_EQ(events[0].text,
              "dma: transmit queue 3, descriptor 17, address 0x1000, a buffer is not mapped");
}

TEST_F(ControlCommands, ForbiddenRequestsAreBounded) {
    for (size_t i = 0; i < ForbiddenLog::kKept + 10; ++i)
        cable.forbid(0, {.kind = ForbiddenKind::kDoorbell, .what = "rung"});
    json told = ask(R"({"do":"forbidden","after":3})");
    EXPECT_EQ(told["newest"], ForbiddenLog::kKept + 10);
    EXPECT_EQ(told["lost"], 7);
    EXPECT_EQ(told["asked"].size(), Commands::kMaximumForbidden);
    EXPECT_EQ(told["asked"][0]["number"], 11);
    EXPECT_EQ(ask(R"({"do":"forbidden","after":266})")["lost"], 0);
}

TEST_F(ControlCommands, WhatIsNoCommandIsRefused) {
    for (const char* line : {"", "ping", "[]", "\"ping\"", "{", "{}", R"({"do":7})",
                             R"({"do":"dance"})", "null", "\xff\xfe", R"({"do":"ping"} trailing)"})
        EXPECT_FALSE(refused(line).empty()) << line;
}

TEST_F(ControlCommands, FaultsComeAndGo) {
    EXPECT_EQ(ask(R"({"do":"fault","rule":{"what":"drop"}})")["id"], 1);
    EXPECT_EQ(ask(R"({"do":"fault","rule":{"what":"delay","port":1,"frames":3,
                     "match":{"protocol":"tcp","probability":0.5,"seed":9,"payload":true}}})")
                  ["id"],
              2);
    json list = ask(R"({"do":"faults"})")["rules"];
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(
        list[0],
        (json{{"id", 1}, {"rule", {{"what", "drop"}, {"port", 0}}}, {"seen", 0}, {"hits", 0}}));
    EXPECT_EQ(
        list[1]["rule"],
        (json{{"what", "delay"},
              {"port", 1},
              {"frames", 3},
              {"milliseconds", 20},
              {"match",
               {{"protocol", "tcp"}, {"probability", 0.5}, {"seed", 9}, {"payload", true}}}}));
    EXPECT_EQ(ask(R"({"do":"clear","id":1})")["ok"], true);
    EXPECT_FALSE(refused(R"({"do":"clear","id":1})").empty());
    EXPECT_FALSE(refused(R"({"do":"clear","id":"all"})").empty());
    EXPECT_EQ(cable.faults().entries().size(), 1U);
    EXPECT_EQ(ask(R"({"do":"clear"})")["ok"], true);
    EXPECT_TRUE(cable.faults().empty());
    EXPECT_EQ(ask(R"({"do":"fault","rule":{"what":"drop"},"standing":true})")["id"], 3);
    EXPECT_FALSE(refused(R"({"do":"fault","rule":{"what":"drop"},"standing":"yes"})").empty());
    EXPECT_EQ(ask(R"({"do":"clear"})")["ok"], true);
    EXPECT_EQ(cable.faults().entries().size(), 1U);
}

TEST_F(ControlCommands, WrongRulesAreNamed) {
    EXPECT_NE(rule_refused(R"({})").find("\"what\""), std::string::npos);
    EXPECT_NE(rule_refused(R"({"what":"drop","match":{"skp":1}})").find("\"skp\""),
              std::string::npos);
    // Twice in one line: of the command itself, or deep in its rule.
    EXPECT_NE(rule_refused(R"({"what":"drop"},"rule":{"what":"reset"})").find("twice"),
              std::string::npos);
    EXPECT_NE(rule_refused(R"({"what":"drop","match":{"skip":1,"skip":2}})").find("twice"),
              std::string::npos);
    for (const char* rule : {R"(7)", R"("drop")", R"([])", R"({"what":"drop","port":2})"})
        EXPECT_FALSE(rule_refused(rule).empty());
    EXPECT_FALSE(refused(R"({"do":"fault"})").empty());
}

TEST_F(ControlCommands, DeepNestingIsRefused) {
    const std::string deep = std::string(30000, '[') + std::string(30000, ']');
    EXPECT_NE(rule_refused(deep).find("levels"), std::string::npos);
    EXPECT_FALSE(refused(deep).empty());
}

TEST_F(ControlCommands, TheLogFollowsItsLine) {
    Delivery delivery;
    for (uint64_t i = 0; i < 10; ++i)
        cable.witness(1).wrote(DmaWitness::Kind::kPayload, 0x1000 * i, 100, delivery, 0, 0);
    json object = ask(R"({"do":"log","after":3,"limit":4})");
    EXPECT_EQ(object["ok"], true);
    EXPECT_EQ(object["first"], 4);
    EXPECT_EQ(object["last"], 7);
    EXPECT_EQ(object["newest"], 10);
    EXPECT_EQ(object["lost"], 0);
    EXPECT_EQ(object["entries"], 4);
    EXPECT_EQ(object["flows"], 0);
    EXPECT_EQ(object["bytes"], 4 * sizeof(DmaLogEntry));
    ASSERT_EQ(answer.bytes.size(), 4 * sizeof(DmaLogEntry));
    DmaLogEntry entry;
    std::memcpy(&entry, answer.bytes.data() + sizeof(entry), sizeof(entry));
    EXPECT_EQ(entry.sequence, 5U);
    EXPECT_EQ(entry.address, 0x4000U);
    EXPECT_EQ(ask(R"({"do":"log"})")["entries"], 10);
    EXPECT_EQ(ask(R"({"do":"log","after":0,"limit":0})")["entries"], 10);
    EXPECT_EQ(ask(R"({"do":"log","after":18446744073709551615})")["entries"], 0);
    EXPECT_FALSE(refused(R"({"do":"log","after":-1})").empty());
    EXPECT_FALSE(refused(R"({"do":"log","limit":"all"})").empty());
}

TEST_F(ControlCommands, CountersOfBothPorts) {
    json ports = ask(R"({"do":"counters"})")["ports"];
    ASSERT_EQ(ports.size(), 2U);
    EXPECT_EQ(ports[0]["more"], 7);
    EXPECT_EQ(ports[1]["more"], 8);
    EXPECT_EQ(ports[0]["wire_rx_packets"], 0);
}

TEST_F(ControlCommands, LinkResetAndMark) {
    EXPECT_EQ(ask(R"({"do":"link","port":1,"up":false})")["ok"], true);
    EXPECT_FALSE(devices[1].link);
    EXPECT_TRUE(devices[0].link);
    EXPECT_EQ(ask(R"({"do":"link","port":1,"up":true})")["ok"], true);
    EXPECT_TRUE(devices[1].link);
    EXPECT_FALSE(refused(R"({"do":"link","port":2,"up":true})").empty());
    EXPECT_FALSE(refused(R"({"do":"link","port":0})").empty());
    EXPECT_EQ(ask(R"({"do":"reset","port":0})")["ok"], true);
    EXPECT_EQ(devices[0].resets, 1);
    events.clear();
    EXPECT_EQ(ask(R"({"do":"mark","text":"here"})")["ok"], true);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].what, "mark");
    EXPECT_EQ(events[0].text, "here");
    EXPECT_FALSE(refused(R"({"do":"mark"})").empty());
    EXPECT_FALSE(refused(R"({"do":"mark","text":")" + std::string(1001, 'x') + "\"}").empty());
}

TEST_F(ControlCommands, ADeviceDiesOnce) {
    EXPECT_EQ(ask(R"({"do":"die","port":1})"), (json{{"ok", true}}));
    EXPECT_FALSE(devices[1].alive);
    EXPECT_TRUE(devices[0].alive);
    EXPECT_FALSE(refused(R"({"do":"die","port":1})").empty()) << "it is dead";
    EXPECT_FALSE(refused(R"({"do":"die","port":2})").empty());
}

TEST_F(ControlCommands, CommandsOfTheDriverAreRefused) {
    CommandFaults& of_port = devices[1].refused;
    EXPECT_EQ(ask(R"({"do":"command_fault","port":1,"command":"rss","skip":1,"count":1})"),
              (json{{"ok", true}}));
    EXPECT_EQ(of_port.meet(CommandKind::kRss), CommandAnswer::kRight) << "the first is skipped";
    EXPECT_EQ(of_port.meet(CommandKind::kFlowRule), CommandAnswer::kRight);
    EXPECT_EQ(of_port.meet(CommandKind::kRss), CommandAnswer::kError);
    EXPECT_EQ(of_port.meet(CommandKind::kRss), CommandAnswer::kRight) << "one, and no more";
    EXPECT_EQ(devices[0].refused.meet(CommandKind::kRss), CommandAnswer::kRight);
    EXPECT_EQ(of_port.hits(), 1U);

    EXPECT_EQ(ask(R"({"do":"command_fault","port":1,"answer":"none"})"), (json{{"ok", true}}));
    EXPECT_EQ(of_port.meet(CommandKind::kOther), CommandAnswer::kNone);
    EXPECT_EQ(ask(R"({"do":"clear"})"), (json{{"ok", true}}));
    EXPECT_EQ(of_port.meet(CommandKind::kOther), CommandAnswer::kRight);
}

TEST_F(ControlCommands, WrongCommandFaultsAreNamed) {
    EXPECT_EQ(refused(R"({"do":"command_fault","command":"reboot"})"),
              "\"command\" must be one of \"any\", \"open_receive_queue\", "
              "\"close_receive_queue\", \"rss\", \"flow_rule\".");
    EXPECT_EQ(refused(R"({"do":"command_fault","command":7})").substr(0, 9), "\"command\"");
    EXPECT_EQ(refused(R"({"do":"command_fault","answer":"late"})"),
              "\"answer\" must be \"error\" or \"none\".");
    EXPECT_EQ(refused(R"({"do":"command_fault","times":1})"),
              "\"times\" is no key of a command_fault.");
    EXPECT_FALSE(refused(R"({"do":"command_fault","skip":-1})").empty());
    EXPECT_FALSE(refused(R"({"do":"command_fault","count":"1"})").empty());
    EXPECT_FALSE(refused(R"({"do":"command_fault","port":2})").empty());
    EXPECT_EQ(devices[0].refused.meet(CommandKind::kOther), CommandAnswer::kRight);
    cable.attach(0, nullptr);
    EXPECT_EQ(refused(R"({"do":"command_fault"})"),
              "The device of this port takes no commands of a driver.");
}

TEST(FaultFile, TakesAnArrayOrLines) {
    auto array = parse_faults(R"( [{"what":"drop"}, {"what":"reset","port":1}] )");
    ASSERT_TRUE(array.ok());
    EXPECT_EQ(array->size(), 2U);
    auto lines = parse_faults("# loss\n{\"what\":\"drop\"}\n\n  {\"what\":\"reset\"}\r\n");
    ASSERT_TRUE(lines.ok());
    ASSERT_EQ(lines->size(), 2U);
    EXPECT_EQ((*lines)[1].what, FaultKind::kReset);
    EXPECT_TRUE(parse_faults("").ok());
    EXPECT_NE(parse_faults("{\"what\":\"drop\"}\n{\"what\":").error().sentence.find("line 2"),
              std::string::npos);
    EXPECT_NE(parse_faults("[{\"what\":\"drop\"},3]").error().sentence.find("number 2"),
              std::string::npos);
    EXPECT_FALSE(parse_faults("[").ok());
    EXPECT_FALSE(parse_faults(std::string(100000, '[')).ok());
    EXPECT_EQ(load_faults("/does/not/exist").error().code, ENOENT);
}

}  // namespace
}  // namespace zcrxlab::nic
