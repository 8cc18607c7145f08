// Describes loopback: no NIC, no DMA log, no faults.
#include "harness/targets/nodev_target.hpp"

namespace zcrxlab {
namespace {

Error not_here(const char* what) {
    return {ENOTSUP, std::string("the target nodev has no NIC and therefore no ") + what};
}

}  // namespace

NodevTarget::NodevTarget() {
    endpoints_.local_v4 = endpoints_.peer_v4 = "127.0.0.1";
    endpoints_.local_v6 = endpoints_.peer_v6 = "::1";
}

Result<DmaWrites> NodevTarget::take_dma_log() {
    return not_here("DMA log");
}
Result<uint32_t> NodevTarget::inject(const FaultRule&) {
    return not_here("faults");
}
Result<void> NodevTarget::clear_faults() {
    return not_here("faults");
}
Result<std::string> NodevTarget::control(const std::string&) {
    return not_here("control channel");
}

}  // namespace zcrxlab
