// A TAP interface as an Ethernet port.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstring>

#include "harness/lab/far/ethernet_port.hpp"
#include "harness/lab/far/frame_stream.hpp"

namespace zcrxlab {
namespace {

class TapPort : public EthernetPort {
  public:
    explicit TapPort(Fd fd) : fd_(std::move(fd)) {}

    int descriptor() const override { return fd_.get(); }

    Result<std::vector<std::byte>> read() override {
        std::vector<std::byte> frame(kLongestFrame);
        const ssize_t got = ::read(fd_.get(), frame.data(), frame.size());
        if (got < 0 && errno != EAGAIN && errno != EINTR) return error_from_errno("read the TAP");
        frame.resize(got > 0 ? static_cast<size_t>(got) : 0);
        return frame;
    }

    Result<void> write(std::span<const std::byte> frame) override {
        if (::write(fd_.get(), frame.data(), frame.size()) >= 0) return {};
        if (errno == EAGAIN) return Error{EAGAIN, "the TAP has no room"};
        // Down (EIO), or nothing that it takes for a frame (EINVAL).
        if (errno == EIO || errno == EINVAL || errno == ENOBUFS || errno == ENOMEM) return {};
        return error_from_errno("write to the TAP");
    }

  private:
    Fd fd_;
};

}  // namespace

Result<std::unique_ptr<EthernetPort>> open_tap(const std::string& name) {
    Fd fd(::open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK));
    if (!fd && (errno == ENOENT || errno == ENODEV))
        return Error{ENODEV,
                     "A peer on another machine needs a TAP interface here, and this kernel has "
                     "none; type: modprobe tun"};
    if (!fd) return error_from_errno("open /dev/net/tun");
    ifreq request{};
    std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
    request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
    if (::ioctl(fd.get(), TUNSETIFF, &request) != 0)
        return error_from_errno("make the TAP " + name);
    const unsigned offloads = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;
    if (::ioctl(fd.get(), TUNSETOFFLOAD, offloads) != 0)
        return error_from_errno("set the offloads of the TAP " + name);
    return std::unique_ptr<EthernetPort>(std::make_unique<TapPort>(std::move(fd)));
}

}  // namespace zcrxlab
