// ModelRow: a model of a NIC, and how a device of it is made. The one place where models are known
// by name; each lies in a folder of its own.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "nic/dma.hpp"
#include "nic/forbidden.hpp"
#include "nic/irq.hpp"
#include "nic/mutation.hpp"
#include "nic/nic_device.hpp"
#include "nic/wire.hpp"

namespace zcrxlab::nic {

// What any model is made with.
struct ModelConfig {
    std::array<uint8_t, 6> mac = {0x02, 0, 0, 0, 0, 1};
    uint16_t queues = 4;  // pairs that a driver starts with, 1 to ModelRow::most_queues
    Mutation mutation = Mutation::kNone;
    // Called with a sentence, without a line end, about what the device refuses or gives up.
    std::function<void(std::string_view)> log = nullptr;
    TellForbidden forbidden = nullptr;
};

struct ModelRow {
    std::string_view name;           // for command lines
    std::string_view sentence = {};  // without a full stop
    // Of the PCI function; what drivers know it by.
    uint16_t vendor = 0;
    uint16_t device = 0;
    uint16_t most_queues = 16;  // pairs
    // Those of rings and buffers that the model makes; it has those of deliveries in any case.
    std::span<const Mutation> mutations = {};
    // The references must outlive the device.
    std::unique_ptr<NicDevice> (*make)(const ModelConfig& config, Dma& dma, Irq& irq,
                                       WirePort& wire, DmaWitness& witness) = nullptr;
};

// All of them; the first is the default.
std::span<const ModelRow> models();
// Null if there is none of this name.
const ModelRow* find_model(std::string_view name);
// The mutations that a device of the model can have, in the order of mutations().
std::vector<MutationText> mutations_of(const ModelRow& model);

}  // namespace zcrxlab::nic
