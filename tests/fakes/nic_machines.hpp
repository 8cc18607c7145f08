// /sys and /proc of machines with real NICs, as far as lab mode reads them; written from what the
// drivers of Linux 7.3 show there.
#pragma once

#include <string>

#include "harness/lab/settings.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {

// A machine with an igb for management (eno1) and a two-port BCM57504 (ens1f0np0, ens1f1np1), each
// function in an IOMMU group of its own (20, 40, 41).
void make_bnxt_machine(const TemporaryFolder& root);
// A machine with a ConnectX-7 (ens3f0np0), which has virtual functions, is in a bond, and has an
// RDMA device that a program uses; one of its functions is ens3f0v0.
void make_mlx5_machine(const TemporaryFolder& root);

// The settings of a port as the driver has them by itself.
NicSettings bnxt_settings();
NicSettings mlx5_settings();
NicSettings gve_settings();

}  // namespace zcrxlab
