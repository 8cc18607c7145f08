// AdminQueue: fetches the driver's commands, carries them out, and answers each with a status.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "nic/models/gve/gve_adminq_layout.hpp"
#include "nic/models/gve/gve_state.hpp"

namespace zcrxlab::nic::gve {

class AdminQueue {
  public:
    explicit AdminQueue(GveState& state) : state_(state) {}

    // The queue is `length` bytes at guest address `base`. False, and not running, if the length is
    // not that of 1, 2, 4 ... commands.
    bool start(uint64_t base, uint32_t length);
    void stop() { entries_ = 0; }
    bool running() const { return entries_ != 0; }

    // The driver has posted `produced` commands since start(). At most a queue full is carried out.
    void doorbell(uint32_t produced);
    // Commands carried out since start().
    uint32_t event_counter() const { return event_counter_; }

    // Carries out one command.
    Status execute(const Command& command);

  private:
    // The body of a command as what its opcode says it is.
    template <typename T>
    static T body(const Command& command) {
        static_assert(sizeof(T) <= sizeof(command.body) && std::is_trivially_copyable_v<T>);
        T out;
        std::memcpy(&out, command.body, sizeof(out));
        return out;
    }
    Status dispatch(Opcode opcode, const Command& command);
    // Does not carry a command out, because of a fault.
    Status fail();
    // Says why a command is refused that a driver may well send: the device does not have what it
    // asks for, or it carries what a user typed.
    Status refuse(Status status, const std::string& why);
    // The same of one that a driver knows to be wrong before it asks.
    Status forbid(Status status, const std::string& why);
    // The same of one whose address Dma has refused; `what` says what is there.
    Status forbid_dma(const char* what, uint64_t address, uint64_t size, Access access);
    std::optional<uint32_t> current() const;  // index of the command that is being carried out

    // gve_admin_device.cpp
    Status describe_device(const DescribeDevice& command);
    Status verify_driver(const VerifyDriverCompatibility& command);
    Status set_driver_parameter(const SetDriverParameter& command);
    Status report_stats(const ReportStats& command);
    Status report_link_speed(const ReportLinkSpeed& command);
    Status get_ptype_map(const GetPtypeMap& command);

    // gve_admin_queues.cpp
    Status configure_resources(const ConfigureDeviceResources& command);
    Status deconfigure_resources();
    Status create_tx(const CreateTxQueue& command);
    Status create_rx(const CreateRxQueue& command);
    Status destroy_tx(const DestroyQueue& command);
    Status destroy_rx(const DestroyQueue& command);
    Status check_queue(const char* kind, uint32_t id, uint32_t limit, bool live,
                       uint32_t notify_id);
    Status check_ring(const std::string& what, uint64_t address, uint32_t size, uint32_t entry);
    Status hand_out(uint64_t resources, uint32_t doorbell, uint32_t counter);

    // gve_admin_steering.cpp
    Status configure_rss(const ConfigureRss& command);
    Status query_rss(const QueryRss& command);
    Status extended(const ExtendedCommand& command);
    Status configure_flow_rule(const ConfigureFlowRule& command);
    Status query_flow_rules(const QueryFlowRules& command);

    GveState& state_;
    uint64_t base_ = 0;
    uint32_t entries_ = 0;  // commands in the queue, a power of two; 0 = not running
    uint32_t event_counter_ = 0;
};

}  // namespace zcrxlab::nic::gve
