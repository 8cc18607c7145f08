// The rows of models.
#include "nic/models/models.hpp"

#include <algorithm>

#include "nic/models/bnxt/bnxt_device.hpp"
#include "nic/models/bnxt/layout/bnxt_registers.hpp"
#include "nic/models/dummy/dummy_device.hpp"
#include "nic/models/gve/gve_device.hpp"
#include "nic/models/gve/gve_registers.hpp"

namespace zcrxlab::nic {
namespace {

// Of rings and buffers: both models make all of them.
constexpr Mutation kOfRings[] = {
    Mutation::kCompletionLost,  Mutation::kLengthOff,       Mutation::kBufferTwice,
    Mutation::kBufferKept,      Mutation::kDmaAfterDestroy, Mutation::kStaleGeneration,
    Mutation::kHeaderInPayload,
};

std::unique_ptr<NicDevice> make_gve(const ModelConfig& config, Dma& dma, Irq& irq, WirePort& wire,
                                    DmaWitness& witness) {
    GveConfig own;
    own.mac = config.mac;
    own.default_queues = config.queues;
    own.mutation = config.mutation;
    own.log = config.log;
    own.forbidden = config.forbidden;
    return std::make_unique<GveDevice>(std::move(own), dma, irq, wire, witness);
}

// How many pairs it starts with the driver decides: one for each processor.
std::unique_ptr<NicDevice> make_bnxt(const ModelConfig& config, Dma& dma, Irq& irq, WirePort& wire,
                                     DmaWitness& witness) {
    BnxtConfig own;
    own.mac = config.mac;
    own.mutation = config.mutation;
    own.log = config.log;
    own.forbidden = config.forbidden;
    return std::make_unique<BnxtDevice>(std::move(own), dma, irq, wire, witness);
}

std::unique_ptr<NicDevice> make_dummy(const ModelConfig&, Dma&, Irq&, WirePort&, DmaWitness&) {
    return std::make_unique<DummyDevice>();
}

constexpr ModelRow kModels[] = {
    {
        .name = "gve",
        .sentence = "Google's virtual NIC in DQO RDA format, for the stock driver gve",
        .vendor = gve::kPciVendor,
        .device = gve::kPciDevice,
        .most_queues = 16,
        .mutations = kOfRings,
        .make = make_gve,
    },
    {
        .name = "bnxt",
        .sentence = "Broadcom's BCM57504, for the stock driver bnxt_en",
        .vendor = bnxt::kPciVendor,
        .device = bnxt::kPciDevice,
        .most_queues = bnxt::kQueueLimit,
        .mutations = kOfRings,
        .make = make_bnxt,
    },
    {
        .name = "dummy",
        .sentence = "a PCI device that no driver takes, for tests of zcrxlab itself",
        .vendor = DummyDevice::kVendor,
        .device = DummyDevice::kDevice,
        .make = make_dummy,
    },
};

}  // namespace

std::span<const ModelRow> models() {
    return kModels;
}

const ModelRow* find_model(std::string_view name) {
    const auto* const row = std::ranges::find(kModels, name, &ModelRow::name);
    return row == std::end(kModels) ? nullptr : row;
}

std::vector<MutationText> mutations_of(const ModelRow& model) {
    std::vector<MutationText> of_model;
    for (const MutationText& text : mutations())
        if (text.of_deliveries || std::ranges::count(model.mutations, text.mutation) != 0)
            of_model.push_back(text);
    return of_model;
}

}  // namespace zcrxlab::nic
