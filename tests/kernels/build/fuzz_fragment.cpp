// Fragments and configurations are files of other people; makefiles leave commands, and compilers
// say what they like.
//
// reaches 65 % of kernels/build/fragment.cpp
// reaches 65 % of kernels/build/complaints.cpp
// reaches 50 % of kernels/build/saved_command.cpp
#include <cstdint>
#include <cstdlib>
#include <string>

#include "kernels/build/complaints.hpp"
#include "kernels/build/fragment.hpp"
#include "kernels/build/saved_command.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (lines_complained_of(text, "x.c").size() > size) std::abort();
    const auto command = saved_command(text, "x.o", "zcrxlab-x.o");
    // It is for a shell, on one line.
    if (command && command->find('\n') != std::string::npos) std::abort();
    if (patch_folder(text).find('\n') != std::string::npos) std::abort();
    const auto fragment = parse_fragment(text, "fuzz");
    if (!fragment) return 0;
    const auto settings = merged({*fragment});
    // What was asked for and nothing else is in the file that asks for it.
    if (!unmet(settings, config_text(settings)).empty()) std::abort();
    return 0;
}
