// All rows of the contract, joined from its chapters.
#include "scenarios/contract/rows.hpp"

#include <algorithm>
#include <vector>

#include "scenarios/contract/rows/chapters.hpp"

namespace zcrxlab {

std::span<const ContractRow> contract_rows() {
    static const std::vector<ContractRow> all = [] {
        std::vector<ContractRow> joined;
        for (const auto chapter :
             {registration_rows, steering_rows, cqe32_rows, refill_rows, exhaustion_rows,
              copy_fallback_rows, header_split_rows, tcp_rows, teardown_rows, concurrency_rows,
              races_rows, bring_up_rows, control_rows, areas_rows, neighbours_rows})
            for (const ContractRow& row : chapter()) joined.push_back(row);
        return joined;
    }();
    return all;
}

const ContractRow* find_contract_row(std::string_view id) {
    const std::span<const ContractRow> all = contract_rows();
    const auto row = std::ranges::find(all, id, &ContractRow::id);
    return row == all.end() ? nullptr : &*row;
}

}  // namespace zcrxlab
