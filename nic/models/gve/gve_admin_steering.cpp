// Admin commands about RSS and flow rules.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "nic/models/gve/gve_adminq.hpp"

namespace zcrxlab::nic::gve {
namespace {

template <typename T>
void append(std::vector<std::byte>& to, const T& object) {
    auto bytes = std::as_bytes(std::span(&object, 1));
    to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

Status AdminQueue::configure_rss(const ConfigureRss& command) {
    GveContext& context = state_.context;
    if (command.hash_algorithm != kHashToeplitz)
        return forbid(Status::kInvalidArgument,
                      fmt::format("CONFIGURE_RSS: hash algorithm {} is not Toeplitz ({})",
                                  command.hash_algorithm, kHashToeplitz));
    if ((command.hash_types & ~kHashTypesKnown) != 0)
        return forbid(Status::kInvalidArgument,
                      fmt::format("CONFIGURE_RSS: hash types {:#x}", command.hash_types.get()));
    if (command.key_size != 0 && command.key_size != kRssKeySize)
        return forbid(Status::kInvalidArgument,
                      fmt::format("CONFIGURE_RSS: a key of {} bytes", command.key_size.get()));
    if (command.lut_size != 0 && command.lut_size != kRssTableSize)
        return forbid(Status::kInvalidArgument,
                      fmt::format("CONFIGURE_RSS: a table of {} entries", command.lut_size.get()));
    // All is read and checked before anything changes.
    std::array<uint8_t, kRssKeySize> key;
    if (command.key_size != 0 && !context.dma.read_object(command.key_address, key))
        return forbid_dma("the key of CONFIGURE_RSS", command.key_address, sizeof(key),
                          Access::kRead);
    std::array<Be32, kRssTableSize> wanted;
    std::array<uint16_t, kRssTableSize> table{};
    if (command.lut_size != 0) {
        if (!context.dma.read_object(command.lut_address, wanted))
            return forbid_dma("the table of CONFIGURE_RSS", command.lut_address, sizeof(wanted),
                              Access::kRead);
        for (size_t i = 0; i < table.size(); ++i) {
            if (wanted[i] >= state_.rx.size())
                return forbid(Status::kInvalidArgument,
                              fmt::format("CONFIGURE_RSS: entry {} names queue {}, there are {}", i,
                                          wanted[i].get(), state_.rx.size()));
            table[i] = static_cast<uint16_t>(wanted[i].get());
        }
    }
    if (command.key_size != 0) state_.steering.set_key(key);
    if (command.lut_size != 0) state_.steering.set_table(table, state_.receive_width);
    if (command.hash_types != 0) state_.steering.set_hash_types(command.hash_types);
    state_.apply_receive_settings();
    return Status::kPassed;
}

Status AdminQueue::query_rss(const QueryRss& command) {
    constexpr uint32_t kLength =
        sizeof(QueryRssDescriptor) + kRssKeySize + kRssTableSize * sizeof(Be32);
    if (command.available_length < kLength)
        return forbid(Status::kInvalidArgument,
                      fmt::format("QUERY_RSS: {} bytes are too few, {} are needed",
                                  command.available_length.get(), kLength));
    std::vector<std::byte> out;
    append(out, QueryRssDescriptor{kLength, state_.steering.hash_types(), kHashToeplitz, 0});
    append(out, state_.steering.key());
    for (uint16_t queue : state_.steering.table(state_.receive_width))
        append(out, Be32(uint32_t{queue}));
    if (!state_.context.dma.write(command.descriptor_address, out))
        return forbid_dma("the answer of QUERY_RSS", command.descriptor_address, out.size(),
                          Access::kWrite);
    return Status::kPassed;
}

Status AdminQueue::extended(const ExtendedCommand& command) {
    if (static_cast<Opcode>(command.inner_opcode.get()) != Opcode::kConfigureFlowRule)
        return refuse(Status::kUnimplemented,
                      fmt::format("extended command {:#x}", command.inner_opcode.get()));
    ConfigureFlowRule inner;
    if (command.inner_length != sizeof(inner))
        return forbid(Status::kInvalidArgument,
                      fmt::format("CONFIGURE_FLOW_RULE: {} bytes, {} are needed",
                                  command.inner_length.get(), sizeof(inner)));
    if (!state_.context.dma.read_object(command.inner_address, inner))
        return forbid_dma("the command of CONFIGURE_FLOW_RULE", command.inner_address,
                          sizeof(inner), Access::kRead);
    return configure_flow_rule(inner);
}

Status AdminQueue::configure_flow_rule(const ConfigureFlowRule& command) {
    uint32_t limit = state_.context.config.max_flow_rules;
    auto what = static_cast<FlowRuleCommand>(command.command.get());
    if (what != FlowRuleCommand::kReset && command.location >= limit)
        return refuse(Status::kOutOfRange, fmt::format("CONFIGURE_FLOW_RULE: location {} of {}",
                                                       command.location.get(), limit));
    switch (what) {
        case FlowRuleCommand::kAdd:
            if (command.rule.type >= static_cast<uint16_t>(FlowType::kCount))
                return forbid(
                    Status::kInvalidArgument,
                    fmt::format("CONFIGURE_FLOW_RULE: flow type {}", command.rule.type.get()));
            if (command.rule.action >= state_.rx.size())
                return forbid(Status::kInvalidArgument,
                              fmt::format("CONFIGURE_FLOW_RULE: queue {}, there are {}",
                                          command.rule.action.get(), state_.rx.size()));
            state_.steering.add_rule(command.location, command.rule);
            break;
        case FlowRuleCommand::kDelete:
            if (!state_.steering.remove_rule(command.location))
                return refuse(Status::kNotFound,
                              fmt::format("CONFIGURE_FLOW_RULE: there is no rule at location {}",
                                          command.location.get()));
            break;
        case FlowRuleCommand::kReset:
            state_.steering.remove_rules();
            break;
        default:
            return refuse(Status::kInvalidArgument,
                          fmt::format("CONFIGURE_FLOW_RULE: command {}", command.command.get()));
    }
    state_.apply_receive_settings();
    return Status::kPassed;
}

Status AdminQueue::query_flow_rules(const QueryFlowRules& command) {
    constexpr uint64_t kMost = 64 * 1024;
    uint64_t space = std::min<uint64_t>(command.available_length, kMost);
    if (space < sizeof(QueryFlowRulesDescriptor))
        return forbid(Status::kInvalidArgument,
                      fmt::format("QUERY_FLOW_RULES: {} bytes are too few, {} are needed", space,
                                  sizeof(QueryFlowRulesDescriptor)));
    const auto& rules = state_.steering.rules();
    std::vector<std::byte> list;
    uint32_t count = 0;
    auto collect = [&](size_t size, auto make) {
        uint64_t room = (space - sizeof(QueryFlowRulesDescriptor)) / size;
        for (auto it = rules.lower_bound(command.starting_rule_id);
             it != rules.end() && count < room; ++it, ++count)
            append(list, make(*it));
    };
    switch (static_cast<FlowRuleQuery>(command.query.get())) {
        case FlowRuleQuery::kRules:
            collect(sizeof(QueriedFlowRule), [](const auto& entry) {
                return QueriedFlowRule{entry.first, entry.second};
            });
            break;
        case FlowRuleQuery::kIds:
            collect(sizeof(Be32), [](const auto& entry) { return Be32(entry.first); });
            break;
        case FlowRuleQuery::kStats:
            break;
        default:
            return refuse(Status::kInvalidArgument,
                          fmt::format("QUERY_FLOW_RULES: query {}", command.query.get()));
    }
    std::vector<std::byte> out;
    append(out, QueryFlowRulesDescriptor{
                    static_cast<uint32_t>(rules.size()), state_.context.config.max_flow_rules,
                    count, static_cast<uint32_t>(sizeof(QueryFlowRulesDescriptor) + list.size())});
    out.insert(out.end(), list.begin(), list.end());
    if (!state_.context.dma.write(command.descriptor_address, out))
        return forbid_dma("the answer of QUERY_FLOW_RULES", command.descriptor_address, out.size(),
                          Access::kWrite);
    return Status::kPassed;
}

}  // namespace zcrxlab::nic::gve
