// The chapters of the contract; the rows of each are a file in this folder.
#pragma once

#include <span>

#include "scenarios/contract/rows.hpp"

namespace zcrxlab {

std::span<const ContractRow> registration_rows();
std::span<const ContractRow> steering_rows();
std::span<const ContractRow> cqe32_rows();
std::span<const ContractRow> refill_rows();
std::span<const ContractRow> exhaustion_rows();
std::span<const ContractRow> copy_fallback_rows();
std::span<const ContractRow> header_split_rows();
std::span<const ContractRow> tcp_rows();
std::span<const ContractRow> teardown_rows();
std::span<const ContractRow> concurrency_rows();
std::span<const ContractRow> races_rows();
std::span<const ContractRow> bring_up_rows();
std::span<const ContractRow> control_rows();
std::span<const ContractRow> areas_rows();
std::span<const ContractRow> neighbours_rows();

}  // namespace zcrxlab
