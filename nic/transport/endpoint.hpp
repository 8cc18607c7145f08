// Endpoint: one PCI function behind the vfio-user protocol; a message in, a reply out, no sockets.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"
#include "nic/pci_device.hpp"
#include "nic/transport/config_space.hpp"
#include "nic/transport/dma_map.hpp"
#include "nic/transport/irq_vectors.hpp"
#include "nic/transport/message_reader.hpp"
#include "nic/transport/protocol.hpp"

namespace zcrxlab::nic::vfio_user {

// Where sentences about a misbehaving client or guest go; may be empty.
using Log = std::function<void(const std::string& sentence)>;

class Endpoint {
  public:
    // Messages that are refused are logged up to this many times, and counted always.
    static constexpr uint64_t kLoggedRefusals = 100;

    // All three must outlive the endpoint; `irq` gets as many vectors as the device has. EINVAL if
    // the device's identity is impossible.
    static Result<Endpoint> create(PciDevice& device, DmaMap& dma, IrqVectors& irq, Log log = {});

    // Does what the message asks and returns the whole reply, header first; empty if none is due.
    // A message that cannot be obeyed changes nothing and is answered with an errno.
    std::vector<std::byte> handle(Message message);
    // The client is gone: its memory is unmapped and its interrupts are forgotten; the state of the
    // device stays as it is.
    void disconnect();

    uint64_t messages() const { return messages_; }
    uint64_t refused() const { return refused_; }
    uint64_t posted_writes() const { return posted_writes_; }

  private:
    using Bytes = std::vector<std::byte>;

    Endpoint(PciDevice& device, DmaMap& dma, IrqVectors& irq, Log log, ConfigSpace config);

    // Each returns the payload of the reply.
    Result<Bytes> perform(Message& message);
    Result<Bytes> version(const Message& message);
    Result<Bytes> dma_map(Message& message);
    Result<Bytes> dma_unmap(const Message& message);
    Result<Bytes> device_info(const Message& message);
    Result<Bytes> region_info(const Message& message);
    Result<Bytes> irq_info(const Message& message);
    Result<Bytes> set_irqs(Message& message);
    Result<Bytes> region_read(const Message& message);
    Result<Bytes> region_write(const Message& message);
    Result<Bytes> region_write_multi(const Message& message);

    uint64_t region_size(uint32_t region) const;
    // EINVAL unless the access is one that read_region() and write_region() can do.
    Result<void> check_access(const RegionAccess& access) const;
    void read_region(const RegionAccess& access, std::span<std::byte> out);
    void write_region(const RegionAccess& access, std::span<const std::byte> bytes);
    bool in_msix(const RegionAccess& access) const;
    void set_bus_master(bool on);
    void reset();

    PciDevice* device_;
    DmaMap* dma_;
    IrqVectors* irq_;
    Log log_;
    ConfigSpace config_;
    bool negotiated_ = false;
    bool bus_master_ = false;
    uint64_t messages_ = 0;
    uint64_t refused_ = 0;
    uint64_t posted_writes_ = 0;
};

}  // namespace zcrxlab::nic::vfio_user
