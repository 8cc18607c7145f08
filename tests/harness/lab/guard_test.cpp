// The guard: each reason on its own, with what it names; and no reason where nobody needs the port.
#include <gtest/gtest.h>

#include <functional>

#include "harness/lab/guard.hpp"
#include "tests/fakes/nic_machines.hpp"

namespace zcrxlab {
namespace {

const std::vector<std::string> kOurs{"ens1f0np0", "ens1f1np1"};

Route route_over(uint32_t ifindex, const std::string& network, uint8_t prefix, bool gateway) {
    Route route;
    route.network = address_bytes(network);
    route.family = route.network.size() == 4 ? 4 : 6;
    route.prefix = prefix;
    route.interfaces = {ifindex};
    route.gateway = gateway;
    return route;
}

// The free port of the bnxt machine, whose default route is on eno1 (2).
struct Free {
    Free() {
        make_bnxt_machine(root);
        port = *port_in_tree(root.path(), "ens1f0np0");
        port.switches = false;  // devlink says that
        machine = machine_in_tree(root.path());
        machine.routes = {route_over(2, "0.0.0.0", 0, true), route_over(2, "192.0.2.0", 24, false)};
        machine.links_up = {"eno1", "ens1f1np1"};
    }
    std::vector<std::string> reasons() const { return why_not_to_take(port, machine, kOurs); }

    TemporaryFolder root;
    PortFacts port;
    MachineFacts machine;
};

TEST(Guard, AFreePortIsTaken) {
    const Free free;
    const auto reasons = free.reasons();
    EXPECT_TRUE(reasons.empty()) << reasons.front();
}

struct Case {
    const char* name;
    std::function<void(Free&)> change;
    const char* says;  // in the one reason
};

class Reason : public testing::TestWithParam<Case> {};

TEST_P(Reason, IsTheOnlyOne) {
    Free free;
    GetParam().change(free);
    const auto reasons = free.reasons();
    ASSERT_EQ(reasons.size(), 1U) << (reasons.empty() ? "none" : reasons[1]);
    EXPECT_TRUE(reasons[0].starts_with("ens1f0np0 ")) << reasons[0];
    EXPECT_NE(reasons[0].find(GetParam().says), std::string::npos) << reasons[0];
}

INSTANTIATE_TEST_SUITE_P(
    All, Reason,
    testing::Values(
        Case{"default_route",
             [](Free& f) { f.machine.routes.push_back(route_over(4, "0.0.0.0", 0, true)); },
             "carries the default route"},
        Case{"default_route_v6",
             [](Free& f) { f.machine.routes.push_back(route_over(4, "::", 0, true)); },
             "carries the default (IPv6) route"},
        // As over PPP, or where the provider's router answers for every address.
        Case{"default_route_without_a_gateway",
             [](Free& f) { f.machine.routes.push_back(route_over(4, "0.0.0.0", 0, false)); },
             "carries the default route"},
        Case{"one_of_several_ways",
             [](Free& f) {
                 f.machine.routes[0].interfaces = {2, 4};
                 f.machine.storage.clear();  // it comes that way, too
             },
             "carries the default route"},
        Case{"gateway",
             [](Free& f) { f.machine.routes.push_back(route_over(4, "10.0.0.0", 8, true)); },
             "a route to 10.0.0.0/8 through a gateway"},
        Case{"nfs",
             [](Free& f) { f.machine.routes.push_back(route_over(4, "198.51.100.0", 24, false)); },
             "leads to 198.51.100.7, from where /home (nfs4) comes"},
        Case{"address", [](Free& f) { f.port.addresses = {"203.0.113.5/24"}; },
             "ip address flush dev ens1f0np0"},
        Case{"bond", [](Free& f) { f.port.master = "bond0"; }, "belongs to bond0"},
        Case{"vlan", [](Free& f) { f.port.uppers = {"ens1f0np0.7"}; }, "ip link del ens1f0np0.7"},
        Case{"is_a_vlan", [](Free& f) { f.port.lowers = {"eth0"}; }, "lies on eth0"},
        Case{"functions", [](Free& f) { f.port.virtual_functions = 4; }, "4 virtual functions"},
        Case{"switch", [](Free& f) { f.port.switches = true; },
             "devlink dev eswitch set pci/0000:3b:00.0 mode legacy"},
        Case{"xdp", [](Free& f) { f.port.xdp = true; }, "ip link set ens1f0np0 xdp off"},
        Case{"provider", [](Free& f) { f.port.providers = {"queue 3 (io_uring)"}; },
             "queue 3 (io_uring)"},
        Case{"rss_context", [](Free& f) { f.port.rss_contexts = {1}; }, "context 1"},
        Case{"rdma",
             [](Free& f) {
                 f.port.rdma = {"mlx5_0"};
                 f.machine.rdma_users = {"ib_write_bw (712)"};
             },
             "ib_write_bw (712)"},
        Case{"last",
             [](Free& f) {
                 f.machine.links_up = {"ens1f0np0", "ens1f1np1"};
             },
             "the last interface"}),
    [](const auto& test) { return test.param.name; });

TEST(Guard, TheSshSessionIsNamed) {
    Free free;
    free.port.addresses = {"192.0.2.1/24"};
    add_ssh_session(free.machine, "192.0.2.9 50022 192.0.2.1 22");
    const auto reasons = free.reasons();
    ASSERT_EQ(reasons.size(), 2U);  // and it has an address
    EXPECT_NE(reasons[0].find("your ssh session"), std::string::npos) << reasons[0];
}

// A connection runs over 192.0.2.10; what begins alike is another address.
TEST(Guard, AConnectionOfAnotherAddressIsNone) {
    for (const char* address : {"192.0.2.1/24", "192.0.2.101/24"}) {
        Free free;
        free.port.addresses = {address};
        EXPECT_EQ(free.reasons().size(), 1U) << address;  // that it has an address
    }
}

TEST(Guard, RdmaIsAReasonOnlyWhereTheCardHasItAndAProgramUsesIt) {
    Free unused;
    unused.port.rdma = {"mlx5_0"};
    EXPECT_TRUE(unused.reasons().empty());
    Free of_another_card;
    of_another_card.machine.rdma_users = {"ib_write_bw (712)"};
    EXPECT_TRUE(of_another_card.reasons().empty());
}

TEST(Guard, AllReasonsOfAnMlx5PortInUse) {
    const TemporaryFolder root;
    make_mlx5_machine(root);
    const auto port = port_in_tree(root.path(), "ens3f0np0");
    ASSERT_TRUE(port);
    const auto reasons = why_not_to_take(*port, machine_in_tree(root.path()), {"ens3f0np0"});
    EXPECT_EQ(reasons.size(), 5U);  // bond, VLAN, virtual functions, switch, RDMA
}

TEST(Testable, NotAVirtualFunctionOfBnxt) {
    PortFacts port;
    port.interface = "ens1f0v0";
    port.driver = "bnxt_en";
    EXPECT_TRUE(why_not_testable(port, driver_row("bnxt_en")).empty());
    port.virtual_function = true;
    EXPECT_EQ(why_not_testable(port, driver_row("bnxt_en")).size(), 1U);
    EXPECT_TRUE(why_not_testable(port, driver_row("mlx5_core")).empty());
}

TEST(ZeroCopy, ADriverWithoutHeaderSplitIsSaidToHaveNone) {
    PortFacts port;
    port.interface = "eth0";
    port.driver = "virtio_net";
    NicSettings settings;
    const DriverRow& unknown = driver_row("virtio_net");
    EXPECT_TRUE(why_no_zero_copy(port, settings, unknown).starts_with("virtio_net cannot do zero"));
    settings.rings.emplace();
    EXPECT_NE(why_no_zero_copy(port, settings, unknown).find("ethtool -g eth0"), std::string::npos);
    settings.rings->data_split = DataSplit::kDisabled;
    EXPECT_EQ(why_no_zero_copy(port, settings, unknown), "");
    EXPECT_EQ(why_no_zero_copy(port, NicSettings(), driver_row("gve")), "") << "it is known";
}

}  // namespace
}  // namespace zcrxlab
