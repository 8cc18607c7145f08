// Restoring compares, changes what differs, and compares again, so that it does not matter how far
// a run had come.
#include "harness/lab/restore.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "harness/lab/change.hpp"
#include "harness/lab/driver_binding.hpp"
#include "harness/lab/facts.hpp"
#include "harness/lab/interface_name.hpp"
#include "harness/net/link.hpp"
#include "harness/net/namespace.hpp"
#include "harness/net/nic.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

// One change may be possible only behind another, which a driver's row does not know of.
constexpr int kPasses = 4;
// A port that leaves a namespace is here at once; a driver that was bound again takes a while.
constexpr std::chrono::seconds kPortBound{10};
// From the interface's appearance to its name from udev.
constexpr std::chrono::seconds kNameBound{3};
constexpr const char* kNameMeanwhile = "zcrxlab-aside";
// Queues cannot be changed while a ring of a program that was killed still goes away.
constexpr std::chrono::seconds kProviderBound{15};

// Calls `done` until it is true or the time is up.
template <typename Done>
void poll_until(std::chrono::seconds bound, Done done) {
    const auto until = std::chrono::steady_clock::now() + bound;
    while (!done() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

class Restoring {
  public:
    Restoring(const Journal& journal, const std::function<void(const std::string&)>& each)
        : journal_(journal), each_(each) {}

    Restored run() {
        give_functions_back();
        if (!journal_.peer_namespace.empty()) remove_namespace();
        for (const JournalPort& port : journal_.ports) restore_port(port);
        return std::move(restored_);
    }

  private:
    void note(const std::string& command) {
        if (each_) each_(command);
        restored_.commands.push_back(command);
    }

    // All of them before the first port: each may be the other's peer.
    void give_functions_back() {
        const PciBus bus = PciBus::of_this_machine();
        for (const PciFunction& function : journal_.functions) {
            const std::vector<std::string> left =
                give_back(bus, function, [this](const std::string& command) { note(command); });
            restored_.left.insert(restored_.left.end(), left.begin(), left.end());
        }
    }

    void remove_namespace() {
        const std::string& path = journal_.peer_namespace;
        const std::string name = fs::path(path).filename();
        std::error_code error;
        if (!fs::exists(path, error)) return;
        const Fd own(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
        // What is left of one that was never mounted, or from before a restart, is a plain file.
        const Result<void> moved =
            in_namespace(path, [&]() -> Result<void> { return move_ports(own.get(), name); });
        if (!moved && moved.error().code != EINVAL)
            restored_.left.push_back(moved.error().sentence);
        if (!moved && moved.error().code != EINVAL) return;
        note("ip netns del " + name);
        if (::umount2(path.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) != 0 && errno != EINVAL)
            restored_.left.push_back(error_from_errno("unmount " + path).sentence);
        if (::unlink(path.c_str()) != 0)
            restored_.left.push_back(error_from_errno("remove " + path).sentence);
    }

    // Inside the namespace: whatever of the journal's ports is there goes back.
    Result<void> move_ports(int own, const std::string& name) {
        auto links = Links::open();
        if (!links) return links.error();
        auto all = links->all();
        if (!all) return all.error();
        for (const LinkState& link : *all) {
            for (const JournalPort& port : journal_.ports) {
                if (port.address.empty() || link.hardware_address != port.address) continue;
                note("ip -n " + name + " link set " + link.name + " netns 1");
                if (auto moved = links->move(link.name, own); !moved) return moved;
            }
        }
        return {};
    }

    void restore_port(const JournalPort& port) {
        const Result<std::string> name = here_and_named(port);
        if (!name) return restored_.left.push_back(name.error().sentence);
        wait_for_providers(*name);
        const DriverRow& driver = driver_row(port.driver);
        std::vector<std::string> refused;
        for (int pass = 0; pass < kPasses; ++pass) {
            const auto now = read_settings(*name);
            if (!now) return restored_.left.push_back(now.error().sentence);
            const std::vector<Change> changes = changes_back(*now, port.settings, driver);
            refused.clear();
            for (const Change& change : changes) {
                note(command_of(change, *name));
                if (auto done = apply(change, *name); !done)
                    refused.push_back(done.error().sentence);
            }
            if (refused.size() == changes.size()) break;  // also: there was nothing to do
        }
        compare(port, *name, refused);
    }

    static Result<std::string> wait_for(const JournalPort& port) {
        Result<std::string> name = Error{};
        poll_until(kPortBound, [&] {
            name = name_of_port(port);
            return name.ok();
        });
        return name;
    }

    Result<std::string> here_and_named(const JournalPort& port) {
        Result<std::string> name = wait_for(port);
        return !name || *name == port.interface ? name : named_again(port, *name);
    }

    // A driver that takes a function again makes a new interface, with a name of the kernel's.
    // Where there is a udev it gives it its name, after a moment; where there is none, nobody does.
    Result<std::string> named_again(const JournalPort& port, const std::string& found) {
        std::string name = found;
        poll_until(kNameBound, [&] {
            if (const auto now = name_of_port(port)) name = *now;
            return name == port.interface;
        });
        if (name == port.interface) return name;
        auto links = Links::open();
        if (!links) return links.error();
        // Only an interface that is down can be renamed; whether it is to be up is a setting.
        note("ip link set " + name + " down");
        if (auto down = links->set_up(name, false); !down) return down.error();
        make_room(*links, port.interface);
        note("ip link set " + name + " name " + port.interface);
        if (auto renamed = rename_interface(name, port.interface); !renamed) return renamed.error();
        return port.interface;
    }

    // Two ports that came back in the other order have each other's name.
    void make_room(Links& links, const std::string& name) {
        const auto there = links.get(name);
        if (!there) return;
        for (const JournalPort& port : journal_.ports) {
            if (port.address.empty() || port.address != there->hardware_address) continue;
            note("ip link set " + name + " down name " + kNameMeanwhile);
            if (links.set_up(name, false))
                static_cast<void>(rename_interface(name, kNameMeanwhile).ok());
        }
    }

    static void wait_for_providers(const std::string& name) {
        auto netdev = Netdev::open(name);
        if (!netdev) return;
        poll_until(kProviderBound, [&] {
            const auto queues = netdev->receive_queues();
            return !queues || std::none_of(queues->begin(), queues->end(),
                                           [](const QueueState& queue) { return queue.io_uring; });
        });
    }

    // Two readings that have nothing in common: the settings, and the lines that I8 compares.
    void compare(const JournalPort& port, const std::string& name,
                 const std::vector<std::string>& refused) {
        const size_t before = restored_.left.size();
        const auto now = read_settings(name);
        if (!now) return restored_.left.push_back(now.error().sentence);
        for (const std::string& line : differences(port.settings, *now))
            restored_.left.push_back(name + ": " + line);
        UndoStack undo;
        if (auto nic = Nic::open(name, undo)) {
            for (const std::string& line : difference(port.snapshot, nic->snapshot()))
                restored_.left.push_back(name + ": " + line);
        } else {
            restored_.left.push_back(nic.error().sentence);
        }
        if (restored_.left.size() > before)
            restored_.left.insert(restored_.left.end(), refused.begin(), refused.end());
    }

    const Journal& journal_;
    const std::function<void(const std::string&)>& each_;
    Restored restored_;
};

}  // namespace

Result<std::string> name_of_port(const JournalPort& port) {
    auto links = Links::open();
    if (!links) return links.error();
    auto all = links->all();
    if (!all) return all.error();
    for (const LinkState& link : *all) {
        if (port.address.empty() ? link.name != port.interface : link.hardware_address != port.address)
            continue;
        // VLANs and the like have the address of what they lie on.
        const auto facts = port_in_tree("/", link.name);
        if (facts && facts->pci == port.pci) return link.name;
    }
    return Error{ENODEV, port.interface + " (" + port.address +
                             (port.pci.empty() ? "" : ", PCI " + port.pci) +
                             ") is not here; is its driver bound, and is it in this network "
                             "namespace?"};
}

Restored restore(const Journal& journal, const std::function<void(const std::string&)>& each) {
    return Restoring(journal, each).run();
}

}  // namespace zcrxlab
