// Asks the kernel how wide the terminal is.
#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace zcrxlab {

size_t terminal_width() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 100;
    return std::max<size_t>(size.ws_col, 40);
}

}  // namespace zcrxlab
