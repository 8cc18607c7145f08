// How the option of "zcrxlab doctor" is written on the command line.
#include <CLI/CLI.hpp>

#include "cli/doctor/doctor.hpp"

namespace zcrxlab {

void add_doctor_options(CLI::App& app, DoctorOptions& options) {
    app.add_flag("--json", options.json, "As JSON")->group("Options");
}

}  // namespace zcrxlab
