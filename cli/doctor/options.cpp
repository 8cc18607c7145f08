// "zcrxlab doctor" has no options.
#include "cli/doctor/doctor.hpp"

namespace zcrxlab {

void add_doctor_options(CLI::App& /*app*/, DoctorOptions& /*options*/) {}

}  // namespace zcrxlab
