// Late image: the image of a guest that was saved before it had one. It lies in the memory of a PCI
// device (QEMU's ivshmem-plain) that the guest finds when it goes on; all its other devices appear
// with that one.
#pragma once

#include "harness/base/result.hpp"

namespace zcrxlab {

// Says that it waits, and looks at the bus until the image is there, however long that takes. Then
// unpacks it into the root folder, where files that are there stay, takes the device away, sets the
// clock and seeds the random number generator. No driver has taken any of the new devices.
Result<void> wait_for_image();

// Offers them to their drivers.
Result<void> probe_new_devices();

}  // namespace zcrxlab
