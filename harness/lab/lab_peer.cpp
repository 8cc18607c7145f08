// The peer of a lab run: its namespace, what is in it, and whether it reaches the port under test.
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "harness/lab/change.hpp"
#include "harness/lab/lab.hpp"
#include "harness/net/namespace.hpp"
#include "harness/net/tcp.hpp"

namespace zcrxlab {
namespace {

// Optics and autonegotiation take seconds.
constexpr std::chrono::seconds kLinkBound{20};
// A switch in between may learn for a while before it passes anything on.
constexpr std::chrono::seconds kReachBound{40};

}  // namespace

// The peer's port first: both ends are to have a link when the port under test comes up.
void Lab::plan_peer() {
    const std::string path = namespace_;
    steps_.push_back({"ip netns add " + std::filesystem::path(path).filename().string(),
                      [path]() -> Result<void> {
                          std::error_code error;
                          std::filesystem::create_directories("/run/netns", error);
                          return create_namespace(path);
                      }});
    if (peer_) plan_port();
    if (far_) plan_joint();
    const std::string name = peer_name_;
    add_inside("link set lo up", [](Links& links) { return links.set_up("lo", true); });
    add_inside("link set " + name + " up",
               [name](Links& links) { return links.set_up(name, true); });
    add_inside("address add " + network_->peer_v4 + "/24 dev " + name,
               [name, address = network_->peer_v4](Links& links) {
                   return links.add_address(name, address, 24);
               });
    add_inside("address add " + network_->peer_v6 + "/64 dev " + name + " nodad",
               [name, address = network_->peer_v6](Links& links) {
                   return links.add_address(name, address, 64);
               });
}

void Lab::plan_port() {
    const std::string path = namespace_, name = peer_name_;
    steps_.push_back(
        {"ip link set " + name + " netns " + std::filesystem::path(path).filename().string(),
         [path, name]() -> Result<void> {
             const Fd there(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
             if (!there) return error_from_errno("open " + path);
             auto links = Links::open();
             if (!links) return links.error();
             return links->move(name, there.get());
         }});
    if (peer_->settings.mtu < kLeastMtu) add_mtu(kLeastMtu);
}

void Lab::plan_joint() {
    const std::string path = namespace_, name = peer_name_;
    SshPeer* far = far_.get();
    steps_.push_back({fmt::format("ip -n {} tuntap add {} mode tap  # joined with {} of {} by ssh",
                                  std::filesystem::path(path).filename().string(), name,
                                  far->port().interface, far->host()),
                      [path, name, far]() -> Result<void> {
                          auto tap = in_namespace_get<std::unique_ptr<EthernetPort>>(
                              path, [&] { return open_tap(name); });
                          if (!tap) return tap.error();
                          return far->join(std::move(*tap));
                      }});
    add_mtu(std::min(far->port().mtu, std::max(nic_.settings.mtu, kLeastMtu)));
}

void Lab::add_mtu(uint32_t mtu) {
    const std::string name = peer_name_;
    add_inside(fmt::format("link set {} mtu {}", name, mtu),
               [name, mtu](Links& links) { return links.set_mtu(name, mtu); });
}

void Lab::add_inside(const std::string& command, std::function<Result<void>(Links&)> work) {
    const std::string path = namespace_;
    steps_.push_back({"ip -n " + std::filesystem::path(path).filename().string() + " " + command,
                      [path, work = std::move(work)]() -> Result<void> {
                          return in_namespace(path, [&]() -> Result<void> {
                              auto links = Links::open();
                              if (!links) return links.error();
                              return work(*links);
                          });
                      }});
}

Result<void> Lab::wait_for_link() const {
    if (auto linked = wait_for_carrier(); !linked) return linked;
    return wait_for_addresses();
}

Result<void> Lab::wait_for_carrier() const {
    const auto has_link = [](const std::string& path, const std::string& name) {
        return in_namespace_get<bool>(path, [&]() -> Result<bool> {
            auto links = Links::open();
            if (!links) return links.error();
            const auto link = links->get(name);
            if (!link) return link.error();
            return link->carrier;
        });
    };
    const auto until = std::chrono::steady_clock::now() + kLinkBound;
    for (;;) {
        const auto here = has_link("", nic_.facts.interface);
        if (!here) return here.error();
        const auto there = has_link(namespace_, peer_name_);
        if (!there) return there.error();
        if (*here && *there) return {};
        if (std::chrono::steady_clock::now() > until) {
            const std::string& dark = *here ? peer_name_ : nic_.facts.interface;
            return Error{ETIMEDOUT, dark +
                                        " has no link. Is the cable in, and do both ends agree "
                                        "on speed and FEC? Type: ethtool " +
                                        dark};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

// A link says nothing about what is at its other end, nor about a firewall.
Result<void> Lab::wait_for_addresses() const {
    const auto until = std::chrono::steady_clock::now() + kReachBound;
    for (const uint8_t family : {4, 6}) {
        TcpOptions options;
        options.family = family;
        options.local = family == 4 ? network_->local_v4 : network_->local_v6;
        options.peer = family == 4 ? network_->peer_v4 : network_->peer_v6;
        options.peer_namespace = namespace_;
        options.timeout = std::chrono::milliseconds(3000);
        for (;;) {
            const auto pair = tcp_pair(options);
            if (pair) break;
            if (std::chrono::steady_clock::now() < until) {
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
                continue;
            }
            return Error{
                ETIMEDOUT,
                fmt::format(
                    "Both ports have a link, but {} does not reach {} ({}). Are they the two "
                    "ends of one cable, and does a firewall of this machine let it in? "
                    "Type: nft list ruleset",
                    options.peer, options.local, pair.error().sentence)};
        }
    }
    return {};
}

std::optional<Error> Lab::part_from_peer() {
    return far_ ? far_->part() : std::nullopt;
}

}  // namespace zcrxlab
