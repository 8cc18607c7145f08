// CCalls: the verbs that no C file can do alone.
#include "vm/repro/c_calls.hpp"

namespace zcrxlab {

std::string_view why_not_in_c(Verb verb) {
    switch (verb) {
        case Verb::kFault:
            return "only the emulated NIC injects faults";
        case Verb::kLink:
            return "only the emulated NIC loses its link at command";
        case Verb::kRing:
        case Verb::kRegister:
        case Verb::kAddArea:
        case Verb::kExport:
        case Verb::kImport:
        case Verb::kConnect:
        case Verb::kSend:
        case Verb::kUrgent:
        case Verb::kEnd:
        case Verb::kArm:
        case Verb::kRefuse:
        case Verb::kCancel:
        case Verb::kWait:
        case Verb::kRun:
        case Verb::kSubmit:
        case Verb::kNop:
        case Verb::kPolicy:
        case Verb::kReturn:
        case Verb::kFlush:
        case Verb::kEvents:
        case Verb::kAwait:
        case Verb::kCount:
        case Verb::kBuffers:
        case Verb::kCapacity:
        case Verb::kNic:
        case Verb::kReset:
        case Verb::kRemove:
        case Verb::kRescan:
        case Verb::kClose:
        case Verb::kFork:
        case Verb::kProcess:
        case Verb::kReap:
        case Verb::kKill:
        case Verb::kThread:
        case Verb::kJoin:
        case Verb::kPause:
            break;
    }
    return {};
}

}  // namespace zcrxlab
