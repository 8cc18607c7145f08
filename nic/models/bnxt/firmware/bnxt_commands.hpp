// Commands: what a driver can ask of the firmware, each as a row of a table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nic/models/bnxt/datapath/bnxt_state.hpp"
#include "nic/models/bnxt/firmware/bnxt_hwrm.hpp"
#include "nic/models/bnxt/layout/bnxt_hwrm_layout.hpp"
#include "nic/models/bnxt/layout/bnxt_ring_layout.hpp"

namespace zcrxlab::nic::bnxt {

class Commands;

struct CommandRow {
    uint16_t type = 0;
    std::string_view name;  // as Linux has it behind HWRM_
    // Null: the model does not have it, and answers as a firmware does that does not.
    Answer (Commands::*carry_out)(const Request& request) = nullptr;
};

class Commands {
  public:
    explicit Commands(BnxtState& state);

    // Carries out one request. Nothing: a fault is that it gets no answer.
    std::optional<Answer> execute(const Request& request);

    // How often each command was asked, and how often it was refused, of those that were.
    std::vector<std::pair<std::string, uint64_t>> counters() const;

    static std::span<const CommandRow> rows();

  private:
    // Of a row, or, last, of all commands that have none.
    struct Asked {
        uint64_t times = 0;
        uint64_t refused = 0;
    };

    // Says why a request is refused that a driver may well send.
    Answer refuse(HwrmError error, const std::string& why);
    // The same of one that a driver knows to be wrong before it asks.
    Answer forbid(HwrmError error, const std::string& why);
    // The same of one whose address Dma has refused; `what` says what is there.
    Answer forbid_dma(const char* what, uint64_t address, uint64_t size, Access access);

    // bnxt_commands_function.cpp
    Answer version(const Request& request);
    Answer reset(const Request& request);
    Answer capabilities(const Request& request);
    Answer resources(const Request& request);
    Answer settings(const Request& request);
    Answer configure(const Request& request);
    Answer register_driver(const Request& request);
    Answer unregister_driver(const Request& request);
    Answer change_interface(const Request& request);
    Answer port_queues(const Request& request);
    Answer phy_capabilities(const Request& request);
    Answer phy_settings(const Request& request);
    Answer configure_phy(const Request& request);
    Answer port_lights(const Request& request);
    Answer set_time(const Request& request);
    Answer flow_capabilities(const Request& request);
    Answer flash_information(const Request& request);

    // bnxt_commands_rings.cpp
    Answer allocate_ring(const Request& request);
    Answer free_ring(const Request& request);
    Answer coalescing_capabilities(const Request& request);
    Answer configure_coalescing(const Request& request);

    // bnxt_commands_statistics.cpp
    Answer allocate_statistics(const Request& request);
    Answer free_statistics(const Request& request);
    Answer clear_statistics(const Request& request);
    Answer function_statistics(const Request& request);
    Answer port_statistics(const Request& request);
    Answer extended_port_statistics(const Request& request);
    Answer no_statistics(uint32_t number);

    // bnxt_commands_vnics.cpp
    Answer vnic_capabilities(const Request& request);
    Answer allocate_vnic(const Request& request);
    Answer free_vnic(const Request& request);
    Answer configure_vnic(const Request& request);
    Answer update_vnic(const Request& request);
    Answer allocate_rss(const Request& request);
    Answer free_rss(const Request& request);
    Answer configure_rss(const Request& request);
    Answer configure_placement(const Request& request);
    Answer configure_joining(const Request& request);
    Answer no_vnic(uint32_t number);

    // bnxt_commands_filters.cpp
    Answer allocate_l2_filter(const Request& request);
    Answer free_l2_filter(const Request& request);
    Answer set_receive_mask(const Request& request);
    Answer allocate_rule(const Request& request);
    Answer free_rule(const Request& request);

    static const CommandRow kRows[];
    BnxtState& state_;
    std::vector<Asked> asked_;
    const char* current_ = "";  // name of the command that is being carried out
};

}  // namespace zcrxlab::nic::bnxt
