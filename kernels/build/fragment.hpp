// Fragments: pieces of a kernel configuration, put together, and compared with what came of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

// One line of a fragment: "CONFIG_GVE=y", or "# CONFIG_GVE is not set", which is the value "n".
struct ConfigSetting {
    std::string symbol;  // without CONFIG_
    std::string value;   // as it is written: y, m, n, a number, or a string in its quotes
    std::string place;   // "debug.config:12"
};

// The settings of the fragment `name` in their order; other comments and empty lines are skipped.
// EINVAL names the line that is neither.
Result<std::vector<ConfigSetting>> parse_fragment(std::string_view text, const std::string& name);

// The folder in a line "# patches: FOLDER", of patches that the kernel has to be built with; empty
// if there is no such line.
std::string patch_folder(std::string_view text);

// One setting for each symbol, that of the last fragment that has it, in alphabetical order.
std::vector<ConfigSetting> merged(const std::vector<std::vector<ConfigSetting>>& fragments);

// The settings as a file that `make KCONFIG_ALLCONFIG=` takes.
std::string config_text(const std::vector<ConfigSetting>& settings);

// A setting that the kernel's configuration did not take over.
struct UnmetSetting {
    ConfigSetting asked;
    std::string got;  // "n" where the symbol is not there at all
};

// What of `asked` is otherwise in `config`, the text of the kernel's .config.
std::vector<UnmetSetting> unmet(const std::vector<ConfigSetting>& asked, std::string_view config);

}  // namespace zcrxlab
