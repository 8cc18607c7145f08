// Removes and rescans a device through sysfs, and restores the settings that its driver forgets.
#include "scenarios/framework/surroundings/device_removal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

void wait_until(Scene& scene, const std::string& what, const std::function<bool()>& condition) {
    scene.wait_for("It did not happen in time: " + what + ".", condition);
}

void write_to(Scene& scene, const std::string& file, const std::string& text) {
    const Fd to(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!to || ::write(to.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        scene.must(Result<void>(error_from_errno("write " + text + " to " + file)));
}

std::string address_of(const std::string& device) {
    return fs::path(device).filename();
}

}  // namespace

DeviceRemoval::DeviceRemoval(Scene& scene, How how) : scene_(scene), how_(how) {
    const std::string interface = scene.endpoints().interface;
    std::error_code error;
    const fs::path device = fs::canonical("/sys/class/net/" + interface + "/device", error);
    device_ = device;
    driver_ = fs::canonical(device / "driver", error);
    queues_ = scene.must(scene.nic().ethtool().channels()).receive();
    rx_ring_ = scene.must(scene.nic().ethtool().rings()).rx.value_or(0);
    rss_key_ = scene.must(scene.nic().steering().rss()).key;
    features_ = scene.must(scene.nic().ethtool().features()).requested;
    mtu_ = scene.must(scene.nic().links().get(interface)).mtu;
}

void DeviceRemoval::leave() {
    scene_.done(how_ == How::kRemoved ? "remove how=device" : "remove how=driver");
    if (how_ == How::kRemoved)
        write_to(scene_, device_ + "/remove", "1");
    else
        write_to(scene_, driver_ + "/unbind", address_of(device_));
}

void DeviceRemoval::come_back() {
    scene_.done("rescan");
    if (how_ == How::kRemoved)
        write_to(scene_, "/sys/bus/pci/rescan", "1");
    else
        write_to(scene_, driver_ + "/bind", address_of(device_));
    set_up_again();
}

// Without undos: this is what the runner has found.
void DeviceRemoval::set_up_again() {
    const Endpoints& ends = scene_.endpoints();
    wait_until(scene_, "the driver made " + ends.interface + " again",
               [&] { return fs::exists(device_ + "/net/" + ends.interface); });
    scene_.forget_nic();
    scene_.must(scene_.target().reconnect());
    Nic& nic = scene_.nic();
    scene_.must(nic.links().set_up(ends.interface, true));
    scene_.must(nic.links().add_address(ends.interface, ends.local_v4, 24));
    scene_.must(nic.links().add_address(ends.interface, ends.local_v6, 64));
    UndoStack none;
    Nic quiet = scene_.must(Nic::open(ends.interface, none));
    scene_.must(quiet.set_mtu(mtu_));
    scene_.must(quiet.set_queues(queues_));
    scene_.must(quiet.set_ring_sizes(rx_ring_, 0));
    // Some drivers draw a new one.
    if (scene_.must(quiet.steering().rss()).key != rss_key_)
        scene_.must(quiet.set_rss({.key = rss_key_}));
    for (const auto& [feature, on] : scene_.must(quiet.ethtool().features()).requested)
        if (const auto was = features_.find(feature); was != features_.end() && was->second != on)
            scene_.must(quiet.ethtool().request_feature(feature, was->second));
    scene_.must(quiet.enable_header_split());
    scene_.must(quiet.spread_over_first(1));
    while (none.size() != 0) none.dismiss_newest();
    wait_until(scene_, "the interface has a link", [&] {
        const auto link = nic.links().get(ends.interface);
        return link && link->carrier;
    });
}

}  // namespace zcrxlab
