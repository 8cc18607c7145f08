// Facts out of recorded trees: what a port is, and what the machine uses it for.
#include <gtest/gtest.h>

#include "harness/lab/facts.hpp"
#include "tests/fakes/nic_machines.hpp"

namespace zcrxlab {
namespace {

using Words = std::vector<std::string>;

TEST(PortInTree, OfABnxtMachine) {
    const TemporaryFolder root;
    make_bnxt_machine(root);
    const auto port = port_in_tree(root.path(), "ens1f0np0");
    ASSERT_TRUE(port) << port.error().sentence;
    EXPECT_EQ(port->ifindex, 4U);
    EXPECT_EQ(port->address, "84:16:0c:00:00:10");
    EXPECT_EQ(port->pci, "0000:3b:00.0");
    EXPECT_EQ(port->driver, "bnxt_en");
    EXPECT_EQ(port->vendor, "0x14e4");
    EXPECT_FALSE(port->up);
    EXPECT_FALSE(port->carrier);
    EXPECT_EQ(port->speed, 0);  // "-1" is what it says while it is down
    EXPECT_FALSE(port->virtual_function);
    EXPECT_TRUE(port->master.empty());
    const auto other = port_in_tree(root.path(), "ens1f1np1");
    ASSERT_TRUE(other);
    EXPECT_TRUE(other->up && other->carrier);
    EXPECT_EQ(other->speed, 25000);
}

TEST(PortInTree, OfAnMlx5Machine) {
    const TemporaryFolder root;
    make_mlx5_machine(root);
    const auto port = port_in_tree(root.path(), "ens3f0np0");
    ASSERT_TRUE(port) << port.error().sentence;
    EXPECT_EQ(port->master, "bond0");
    EXPECT_EQ(port->uppers, (Words{"ens3f0np0.7"}));
    EXPECT_EQ(port->virtual_functions, 1U);
    EXPECT_TRUE(port->switches);
    EXPECT_EQ(port->rdma, (Words{"mlx5_0"}));
    const auto function = port_in_tree(root.path(), "ens3f0v0");
    ASSERT_TRUE(function);
    EXPECT_TRUE(function->virtual_function);
    EXPECT_TRUE(function->rdma.empty());
}

TEST(PortInTree, AnUnknownNameListsThoseThatThereAre) {
    const TemporaryFolder root;
    make_bnxt_machine(root);
    for (const char* name : {"eth9", "", "../net/eno1"}) {
        const auto port = port_in_tree(root.path(), name);
        ASSERT_FALSE(port) << name;
        EXPECT_EQ(port.error().code, ENODEV);
        EXPECT_NE(port.error().sentence.find("eno1, ens1f0np0, ens1f1np1"), std::string::npos)
            << port.error().sentence;
    }
}

TEST(MachineInTree, ConnectionsMountsDisksAndRdma) {
    const TemporaryFolder bnxt;
    make_bnxt_machine(bnxt);
    const MachineFacts machine = machine_in_tree(bnxt.path());
    ASSERT_EQ(machine.connections.size(), 1U);
    EXPECT_EQ(machine.connections.begin()->first, "192.0.2.10");
    ASSERT_EQ(machine.storage.size(), 1U);
    EXPECT_EQ(machine.storage[0].what, "/home (nfs4)");
    EXPECT_EQ(machine.storage[0].server, "198.51.100.7");
    EXPECT_TRUE(machine.rdma_users.empty());

    const TemporaryFolder mlx5;
    make_mlx5_machine(mlx5);
    const MachineFacts other = machine_in_tree(mlx5.path());
    ASSERT_EQ(other.storage.size(), 1U);
    EXPECT_EQ(other.storage[0].what, "the disk nvme1");
    EXPECT_EQ(other.storage[0].server, "198.51.100.9");
    EXPECT_EQ(other.rdma_users, (Words{"ib_write_bw (712)"}));
}

TEST(ConnectedAddresses, BothFamiliesWithoutLoopback) {
    EXPECT_EQ(connected_addresses("   1: 0100007F:0016 0100007F:C350 01\n"
                                  "   2: B80D0120000000000000000001000000:0016 0:0 01\n"
                                  "   3: 0000000000000000FFFF00000A0200C0:0016 0:0 01\n"
                                  "   4: 0B0200C0:0016 0:0 06\n"
                                  "   5: xyz:0016 0:0 01\n   6:\n"),
              (Words{"2001:db8::1", "192.0.2.10"}));
}

TEST(NetworkMounts, TakeTheServerFromWhereItIs) {
    const auto mounts = network_mounts(
        "1 2 0:1 / /a rw - nfs srv:/x rw,addr=192.0.2.7\n"
        "1 2 0:1 / /b rw shared:1 master:2 - ceph 192.0.2.8:6789,192.0.2.9:6789:/ rw\n"
        "1 2 0:1 / /c rw - ext4 /dev/sda rw,addr=192.0.2.1\n"
        "nonsense - nfs\n- nfs a b\n");
    ASSERT_EQ(mounts.size(), 2U);
    EXPECT_EQ(mounts[0].server, "192.0.2.7");
    EXPECT_EQ(mounts[1].what, "/b (ceph)");
    EXPECT_EQ(mounts[1].server, "192.0.2.8");
}

TEST(SshSession, IsTheLocalAddress) {
    MachineFacts machine;
    add_ssh_session(machine, "192.0.2.9 50022 192.0.2.1 22");
    EXPECT_EQ(machine.connections.at("192.0.2.1"), "your ssh session");
    MachineFacts none;
    add_ssh_session(none, "");
    EXPECT_TRUE(none.connections.empty());
}

}  // namespace
}  // namespace zcrxlab
