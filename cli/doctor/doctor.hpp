// zcrxlab doctor: says what of this machine works, what does not, and what repairs it.
#pragma once

#include <string>

#include "vm/options.hpp"

namespace CLI {
class App;
}

namespace zcrxlab {

struct DoctorOptions {
    bool json = false;
    // Not taken from the command line: it is looked at whether a run without options works.
    VmOptions vm;
};

void add_doctor_options(CLI::App& app, DoctorOptions& options);
std::string doctor_manual();
// 0 if a run can work, else 1.
int doctor_command(const DoctorOptions& options);

}  // namespace zcrxlab
