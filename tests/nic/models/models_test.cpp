// The table of models: each row makes the device that it says.
#include "nic/models/models.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/fakes/fake_dma.hpp"
#include "tests/fakes/fake_irq.hpp"
#include "tests/fakes/fake_wire.hpp"

namespace zcrxlab::nic {
namespace {

struct Neighbours {
    FakeDma dma;
    FakeIrq irq;
    FakeWirePort wire;
    FakeWitness witness;
};

TEST(Models, EachRowMakesItsDevice) {
    std::set<std::string_view> names;
    for (const ModelRow& row : models()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name << " is there twice";
        EXPECT_EQ(find_model(row.name), &row);
        EXPECT_FALSE(row.sentence.empty()) << row.name;
        EXPECT_GE(row.most_queues, ModelConfig{}.queues) << row.name;
        for (const Mutation mutation : row.mutations)
            for (const MutationText& text : mutations())
                EXPECT_FALSE(text.mutation == mutation && text.of_deliveries)
                    << row.name << " need not make " << text.name;
        Neighbours around;
        const auto device =
            row.make(ModelConfig{}, around.dma, around.irq, around.wire, around.witness);
        ASSERT_NE(device, nullptr) << row.name;
        EXPECT_EQ(device->identity().vendor, row.vendor) << row.name;
        EXPECT_EQ(device->identity().device, row.device) << row.name;
        EXPECT_EQ(device->deliver(Delivery{}), Accepted::kNotRunning) << row.name;
    }
    EXPECT_EQ(find_model("toaster"), nullptr);
    EXPECT_EQ(find_model(""), nullptr);
}

TEST(Models, GveHasEveryMutation) {
    const ModelRow* gve = find_model("gve");
    ASSERT_EQ(gve, &models().front()) << "it is the default";
    EXPECT_EQ(mutations_of(*gve).size(), mutations().size());
}

TEST(Models, AnyModelHasTheMutationsOfDeliveries) {
    std::string names;
    for (const MutationText& text : mutations_of(ModelRow{.name = "bare"}))
        names += std::string(text.name) + " ";
    EXPECT_EQ(names, "interrupt-lost checksum-good wrong-queue ");
}

}  // namespace
}  // namespace zcrxlab::nic
