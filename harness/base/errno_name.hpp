// errno_name: the symbolic name of an errno, for sentences.
#pragma once

#include <cstring>
#include <string>

namespace zcrxlab {

// "EINVAL" for 22, "success" for 0, "errno 4711" for what has no name. `code` is positive.
inline std::string errno_name(int code) {
    if (code == 0) return "success";
    const char* name = ::strerrorname_np(code);
    return name != nullptr ? name : "errno " + std::to_string(code);
}

// A result as system calls in a CQE give it: "-ENOMEM", or the number where it is no error.
inline std::string result_name(long long result) {
    if (result >= 0 || result < -4095) return std::to_string(result);
    return "-" + errno_name(static_cast<int>(-result));
}

}  // namespace zcrxlab
