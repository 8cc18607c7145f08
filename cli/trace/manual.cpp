// What "zcrxlab trace --help" says behind the options.
#include "cli/trace/trace.hpp"

namespace zcrxlab {

std::string trace_manual() {
    return R"text(
DESCRIPTION
    Tells what happened in each scenario of a run: a line for each thing that was seen, with
    milliseconds since the scenario's first event, the lane that it belongs to, and a sentence. Lanes
    are the wire, the device, the kernel log, each ring and each thread. What repeats with other
    numbers is folded, and said how often; --full shows all of it. The invariants are looked at
    again, and each violation stands behind the event that broke it, after ">>>>".

    FILE is the --out of a run or of exec, the folder of one VM, or a trace.jsonl. Beside it are looked
    for: wire.pcapng and device.log, for the wire and for faults; and results.json, there or in the
    folder above, for the verdicts. Nothing of these has to be there.

    Of a scenario that passed, a run keeps 500 events, of one that failed 20000. Where some are
    missing, that is said, and the invariants are not looked at again.

TIMES
    All times are the guest's. Host and guest have different clocks, and no event says how they
    differ; but a SYN comes before its connection is open, and a DMA write before its CQE. So frames
    and writes are shown as late as these allow: late by the fastest way through the guest, about a
    millisecond where it is emulated. A write of a device that does not say when it wrote
    (netdevsim, older traces) is shown at its CQE.

THE PAGE
    --html writes one file that needs nothing but itself: lanes over time, and each area as a map, a
    row for each buffer that was used. Its colour is its owner: free; posted to the device; in a
    socket (written, not delivered); with the user; in the refill ring (returned, and not known to be
    taken: the kernel takes entries in their order); or handed out twice. Drag to move, click to
    choose, control and the wheel to zoom. An event's address ends in #TEST/NUMBER.

EXIT CODES
    0    it was told, whatever it was
    64   wrong usage, no such file or test, or a file that was cut or is no trace: the message says
         which line

EXAMPLES
    zcrxlab trace zcrxlab-out --test receive.one_byte
    zcrxlab trace zcrxlab-out --around failure
    zcrxlab trace zcrxlab-out/vm2 --test 'refill.*' --html refill.html
)text";
}

}  // namespace zcrxlab
