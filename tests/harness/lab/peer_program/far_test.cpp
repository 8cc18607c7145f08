// The far end of a lab run on another machine: what it says, what it chooses, and what it joins.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "harness/base/endian.hpp"
#include "harness/base/program.hpp"
#include "harness/lab/far/joint.hpp"
#include "harness/lab/far/ssh_peer.hpp"
#include "harness/lab/peer_program/own_ports.hpp"
#include "tests/fakes/nic_machines.hpp"

namespace zcrxlab {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::string_view text) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

TEST(PeerPlace, IsHereOrThere) {
    EXPECT_EQ(*peer_place("eth1"), (PeerPlace{"", "eth1"}));
    EXPECT_EQ(*peer_place("netns:eth1"), (PeerPlace{"", "eth1"}));
    EXPECT_EQ(*peer_place("ssh:root@lab2"), (PeerPlace{"root@lab2", ""}));
    EXPECT_EQ(*peer_place("ssh:fd00::2,ens1f0"), (PeerPlace{"fd00::2", "ens1f0"}));
    // A host that ssh would take for an option; a name that a shell would take for more.
    for (const char* wrong : {"", "netns:", "ssh:", "ssh:,eth1", "ssh:-oProxyCommand=x", "ssh:a b",
                              "ssh:lab2,", "ssh:lab2,a'b", "ssh:lab2,a/b", "eth 1", "tcp:lab2"}) {
        const auto place = peer_place(wrong);
        ASSERT_FALSE(place) << wrong;
        EXPECT_EQ(place.error().code, EINVAL);
    }
}

TEST(Hello, ComesBehindWhateverAShellSays) {
    const FarPort port{"ens1f1np1", "84:16:0c:00:00:11", "bnxt_en", 9000, {"one", "two\nlines"}};
    const std::string text = "Welcome to lab2!\r\n" + to_text(port);
    for (size_t length = 0; length < text.size(); ++length) {
        const auto part = far_port_from(std::string_view(text).substr(0, length));
        ASSERT_TRUE(part);
        EXPECT_FALSE(*part) << length;
    }
    FarPort heard = **far_port_from(text);
    EXPECT_EQ(heard.refusals, (std::vector<std::string>{"one", "two lines"}));
    heard.refusals = port.refusals;
    EXPECT_EQ(heard, port);
    EXPECT_EQ(far_port_from(std::string(70000, 'x')).error().code, EPROTO);
}

TEST(FrameReader, CutsWhereverTheStreamIsCut) {
    Bytes stream;
    append_frame(stream, {});
    append_frame(stream, bytes_of("0123456789first"));
    append_frame(stream, bytes_of("0123456789second"));
    for (const size_t step : {1U, 7U, 100U}) {
        FrameReader reader;
        std::vector<Bytes> frames;
        for (size_t at = 0; at < stream.size(); at += step) {
            reader.feed(std::span(stream).subspan(at, std::min(step, stream.size() - at)));
            while (const auto frame = *reader.next())
                frames.emplace_back(frame->begin(), frame->end());
        }
        EXPECT_EQ(frames, (std::vector<Bytes>{
                              {}, bytes_of("0123456789first"), bytes_of("0123456789second")}));
    }
}

TEST(FrameReader, LengthsOfNoFrameAreErrors) {
    for (const uint32_t length : {1U, 10U, 70000U, 0xffffffffU}) {
        FrameReader reader;
        const Be32 header(length);
        reader.feed(std::as_bytes(std::span(&header, 1)));
        const auto frame = reader.next();
        ASSERT_FALSE(frame) << length;
        EXPECT_EQ(frame.error().code, EPROTO);
    }
}

TEST(Tag, GoesBackAndOffsetsMoveAlong) {
    // NEEDS_CSUM, no segments, header of 54 bytes, checksum from 34 on at 16.
    const std::array<uint16_t, 5> header{1, 54, 0, 34, 16};
    Bytes frame(10 + 60);
    std::memcpy(frame.data(), header.data(), sizeof header);
    for (size_t i = 10; i < frame.size(); ++i) frame[i] = std::byte(i);
    const Bytes before = frame;
    put_tag_back(frame, 0x8100, 0x2007);
    ASSERT_EQ(frame.size(), before.size() + 4);
    std::array<uint16_t, 5> after{};
    std::memcpy(after.data(), frame.data(), sizeof after);
    EXPECT_EQ(after, (std::array<uint16_t, 5>{1, 58, 0, 38, 16}));
    EXPECT_EQ(Bytes(frame.begin() + 22, frame.begin() + 26),
              (Bytes{std::byte(0x81), std::byte(0), std::byte(0x20), std::byte(7)}));
    EXPECT_TRUE(std::equal(frame.begin() + 26, frame.end(), before.begin() + 22));
    Bytes shorter(12);
    put_tag_back(shorter, 0x8100, 1);
    EXPECT_EQ(shorter.size(), 12U);
}

// ssh itself says what holds, against a configuration that wants all of it.
TEST(SshCommand, LendsNothingWhateverTheUsersConfigurationSays) {
    if (!program_exists("ssh")) GTEST_SKIP() << "there is no ssh here";
    const TemporaryFolder folder;
    const auto configuration =
        folder.write("config",
                     "Host *\n ForwardAgent yes\n ForwardX11 yes\n LocalForward 8022 lab3:22\n"
                     " RemoteForward 8023 lab3:22\n DynamicForward 1080\n Tunnel yes\n"
                     " PermitLocalCommand yes\n LocalCommand touch /x\n ControlMaster auto\n"
                     " RemoteCommand uptime\n");
    std::vector<std::string> command = ssh_command("root@lab2", "true");
    command.pop_back();
    command.insert(command.begin() + 1, {"-G", "-F", configuration.string()});
    const auto run = run_program(command);
    ASSERT_TRUE(run && run->exit_code == 0) << (run ? run->output : run.error().sentence);
    for (const char* said : {"forwardagent no", "forwardx11 no", "clearallforwardings yes",
                             "tunnel false", "permitlocalcommand no", "controlmaster false"})
        EXPECT_NE(run->output.find(said), std::string::npos) << said << "\n" << run->output;
    for (const char* not_said : {"localforward ", "remoteforward ", "dynamicforward "})
        EXPECT_EQ(run->output.find(not_said), std::string::npos) << not_said;
}

// What a login on the other machine does, with /bin/sh in place of ssh.
TEST(Script, RunsTheProgramAndLeavesNothing) {
    const TemporaryFolder folder;
    folder.write("home/x", "");
    const std::string program =
        "#!/bin/sh\necho \"ran $*\"\nread line\necho \"then $line\"\n[ \"$1\" = --remove-self ] && "
        "rm "
        "-f \"$0\"\n";
    folder.write("stdin", program + "more\n");
    const std::string home = (folder.path() / "home").string();
    folder.write("script", script_for(program.size(), "eth9"));
    // The script is one word of ssh's, so that a shell reads it as a command.
    const std::string command = "XDG_RUNTIME_DIR=" + home + " HOME=" + home + " sh -c \"$(cat " +
                                (folder.path() / "script").string() + ")\" <" +
                                (folder.path() / "stdin").string() + " 2>&1";
    FILE* output = ::popen(command.c_str(), "r");
    ASSERT_NE(output, nullptr);
    std::array<char, 512> text{};
    const size_t length = std::fread(text.data(), 1, text.size() - 1, output);
    EXPECT_EQ(::pclose(output), 0);
    EXPECT_EQ(std::string(text.data(), length), "ran --remove-self eth9\nthen more\n");
    size_t left = 0;
    for (const auto& entry : std::filesystem::directory_iterator(home))
        left += entry.is_regular_file();
    EXPECT_EQ(left, 1U) << "only x";
}

// A port whose cable is a pair of sockets.
class SocketPort : public EthernetPort {
  public:
    explicit SocketPort(Fd socket) : socket_(std::move(socket)) {}
    int descriptor() const override { return socket_.get(); }
    Result<Bytes> read() override {
        Bytes frame(2000);
        const ssize_t got = ::recv(socket_.get(), frame.data(), frame.size(), MSG_DONTWAIT);
        frame.resize(got > 0 ? static_cast<size_t>(got) : 0);
        return frame;
    }
    Result<void> write(std::span<const std::byte> frame) override {
        if (::send(socket_.get(), frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
            return {};
        return error_from_errno("send");
    }

  private:
    Fd socket_;
};

std::array<Fd, 2> pair_of(int type) {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()), 0);
    return {Fd(ends[0]), Fd(ends[1])};
}

TEST(Joint, CarriesBothWaysUntilTheStreamEnds) {
    auto stream = pair_of(SOCK_STREAM);
    auto left = pair_of(SOCK_SEQPACKET), right = pair_of(SOCK_SEQPACKET);
    auto near = Joint::make(std::make_unique<SocketPort>(std::move(left[1])), stream[0].get(),
                            stream[0].get());
    auto far = Joint::make(std::make_unique<SocketPort>(std::move(right[1])), stream[1].get(),
                           stream[1].get());
    ASSERT_TRUE(near);
    ASSERT_TRUE(far);
    const auto cross = [](const Fd& from, const Fd& to, const std::string& text) {
        ASSERT_EQ(::send(from.get(), text.data(), text.size(), 0),
                  static_cast<ssize_t>(text.size()));
        std::array<char, 2000> heard{};
        const ssize_t got = ::recv(to.get(), heard.data(), heard.size(), 0);
        EXPECT_EQ(std::string(heard.data(), static_cast<size_t>(got)), text);
    };
    for (int i = 0; i < 100; ++i) {
        cross(left[0], right[0], "0123456789there" + std::to_string(i));
        cross(right[0], left[0], "0123456789back" + std::string(1000, 'x'));
    }
    EXPECT_FALSE((*near)->end());
    ::shutdown(stream[1].get(), SHUT_WR);
    std::array<char, 8> event{};
    EXPECT_EQ(::read((*near)->ended(), event.data(), event.size()), 8);
    ASSERT_TRUE((*near)->end());
    EXPECT_EQ((*near)->end()->code, EPIPE);
}

struct FarMachine {
    FarMachine() {
        make_bnxt_machine(root);
        for (const char* name : {"eno1", "ens1f0np0", "ens1f1np1"}) {
            ports.push_back(*port_in_tree(root.path(), name));
            ports.back().switches = switches_by_id(ports.back());
        }
        ports[0].addresses = {"192.0.2.10/24"};
        machine = machine_in_tree(root.path());
        machine.routes = routes_in_text(
            "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n"
            "eno1\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
            "eno1\t000200C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n",
            "", ports);
        machine.links_up = {"eno1", "ens1f1np1"};
    }
    Result<FarPort> choose(const std::string& name) const {
        return choose_port(root.path(), name, machine, ports);
    }
    TemporaryFolder root;
    std::vector<PortFacts> ports;
    MachineFacts machine;
};

TEST(FarPorts, TheOnlyOneThatNobodyNeedsIsChosen) {
    FarMachine there;
    const auto port = there.choose("");
    ASSERT_TRUE(port) << port.error().sentence;
    EXPECT_EQ(port->interface, "ens1f1np1");
    EXPECT_EQ(port->driver, "bnxt_en");
    EXPECT_TRUE(port->refusals.empty());
    there.ports[2].addresses = {"198.51.100.1/24"};
    EXPECT_EQ(there.choose("").error().code, ENODEV);
    there.ports[2].addresses.clear();
    there.ports[1].up = there.ports[1].carrier = true;
    const auto several = there.choose("");
    ASSERT_FALSE(several);
    EXPECT_NE(several.error().sentence.find("ens1f0np0, ens1f1np1"), std::string::npos);
}

TEST(FarPorts, ANamedOneComesWithWhatIsAgainstIt) {
    const FarMachine there;
    const auto management = there.choose("eno1");
    ASSERT_TRUE(management);
    std::string all;
    for (const std::string& refusal : management->refusals) all += refusal + "\n";
    for (const char* reason : {"carries the default route", "over which", "somebody uses it"})
        EXPECT_NE(all.find(reason), std::string::npos) << reason << " in\n" << all;
    const auto down = there.choose("ens1f0np0");
    ASSERT_TRUE(down);
    ASSERT_EQ(down->refusals.size(), 1U);
    EXPECT_NE(down->refusals[0].find("ip link set ens1f0np0 up"), std::string::npos);
    EXPECT_EQ(there.choose("eth7").error().code, ENODEV);
}

TEST(FarPorts, TheIdOfASwitchCountsWhereOnlySwitchesHaveOne) {
    const TemporaryFolder bnxt;
    make_bnxt_machine(bnxt);
    const auto always = port_in_tree(bnxt.path(), "ens1f0np0");
    ASSERT_TRUE(always && always->switches);
    EXPECT_FALSE(switches_by_id(*always));
    const TemporaryFolder mlx5;
    make_mlx5_machine(mlx5);
    const auto taken = port_in_tree(mlx5.path(), "ens3f0np0");
    ASSERT_TRUE(taken);
    EXPECT_TRUE(switches_by_id(*taken));
    const auto plain = port_in_tree(bnxt.path(), "eno1");
    ASSERT_TRUE(plain);
    EXPECT_FALSE(switches_by_id(*plain));
}

TEST(FarPorts, RoutesOfBothFamilies) {
    const FarMachine there;
    ASSERT_EQ(there.machine.routes.size(), 2U);
    EXPECT_EQ(to_text(there.machine.routes[0]), "default");
    EXPECT_TRUE(there.machine.routes[0].gateway);
    EXPECT_EQ(to_text(there.machine.routes[1]), "192.0.2.0/24");
    const auto six = routes_in_text(
        "",
        "20010db8000000000000000000000000 20 00000000000000000000000000000000 00 "
        "fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eno1\n"
        "fe800000000000000000000000000000 40 00000000000000000000000000000000 00 "
        "00000000000000000000000000000000 00000100 00000001 00000000 00000001     eno1\n"
        "short 20 nothing\n",
        there.ports);
    ASSERT_EQ(six.size(), 1U);
    EXPECT_EQ(to_text(six[0]), "2001:db8::/32");
    EXPECT_TRUE(six[0].gateway);
}

}  // namespace
}  // namespace zcrxlab
