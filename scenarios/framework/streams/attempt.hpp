// Attempt: a registration that is bent on purpose and must be refused without leaving anything.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "harness/ring/ifq.hpp"
#include "harness/ring/ring.hpp"
#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

// The area of attempts: 16 pages, which are pinned in no time.
inline constexpr size_t kSmallArea = 16 * kPageSize;

// What an attempt hands to the kernel; every part may be changed before it does.
struct BentRequest {
    Scene& scene;
    Ring& ring;
    IfqRequest& request;
    uapi::ZcrxIfqReg* pointer;  // the argument; the request's own registration
    uint32_t count = 1;         // the argument's count
};
using Bend = std::function<void(BentRequest&)>;

// Options for a queue of its own on the NIC, or for none without one, with a small area.
IfqOptions small_ifq(Scene& scene);

// The same with an area that a NIC's receive ring cannot empty.
IfqOptions receiving_ifq(Scene& scene);

// Registers what `bend` makes of a good request on a ring of its own, and expects `expected`
// (errno, positive) or `otherwise` where kernels differ. Fails the scenario where the refused call
// wrote anything into the structures, or left pins, locked memory or descriptors. Then registers
// the good request: the queue must be free.
void expect_refused(Scene& scene, const std::string& what, const Bend& bend, int expected,
                    const RingOptions& ring = {}, int otherwise = 0);

// A registration of `options` as a line of a list of actions, for the trace: what it made, with
// which ring (both by name), other parameters (each with a space before it), and the errno that is
// promised of it (0 = success).
void tell_registration(Scene& scene, const std::string& name, const std::string& ring,
                       const IfqOptions& options, int promised, const std::string& fields = {});

// The good request of `options` on a ring of its own, which is closed again.
void expect_registers(Scene& scene, const IfqOptions& options, const RingOptions& ring = {});

// The errno (positive) that a call returned, 0 for success, and less for a number above 0, which
// none of those that are asked here may return (io_uring_register(2)).
inline int errno_of(int result) {
    return -result;
}

// Takes capabilities (bits of linux/capability.h, below 32) out of the effective set of this
// thread, and puts them back when it goes.
class WithoutCapability {
  public:
    WithoutCapability(Scene& scene, uint32_t capability);
    ~WithoutCapability();
    WithoutCapability(const WithoutCapability&) = delete;
    WithoutCapability& operator=(const WithoutCapability&) = delete;

  private:
    uint32_t effective_[2] = {};
    uint32_t permitted_[2] = {};
    uint32_t inheritable_[2] = {};
};

}  // namespace zcrxlab
