// Counts what is written, and stops.
#include "vm/watch/limited_log.hpp"

#include <cstdio>

namespace zcrxlab {

void LimitedLog::write(std::string_view bytes) {
    if (cut_) return;
    if (bytes.size() > limit_ - written_) {
        cut_ = true;
        std::fprintf(stderr,
                     "zcrxlab: %s would be larger than %llu MiB; what comes from here on is not "
                     "kept.\n",
                     name().c_str(), static_cast<unsigned long long>(limit_ >> 20));
        return;
    }
    if (!stream_.is_open()) stream_.open(file_, std::ios::binary);
    written_ += bytes.size();
    stream_ << bytes;
}

void LimitedLog::flush() {
    if (stream_.is_open()) stream_.flush();
}

}  // namespace zcrxlab
