// Fills and sends a file in memory.
#include "scenarios/framework/streams/sent_file.hpp"

#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "harness/base/mapping.hpp"

namespace zcrxlab {

SentFile::SentFile(Scene& scene, uint64_t bytes) : pattern_(scene.seed()) {
    file_.reset(::memfd_create("zcrxlab-stream", MFD_CLOEXEC));
    if (!file_ || ::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0)
        scene.give_up("There is no memory for a stream of " + std::to_string(bytes) +
                      " bytes; type: zcrxlab bench --memory 2G");
    Mapping view = scene.must(Mapping::map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get()));
    pattern_.fill({view.data(), view.size()}, 0);
}

bool SentFile::send(int socket, uint64_t bytes) const {
    off_t at = 0;
    while (static_cast<uint64_t>(at) < bytes) {
        const size_t left = bytes - static_cast<uint64_t>(at);
        if (::sendfile(socket, file_.get(), &at, left) <= 0) return false;
    }
    return ::shutdown(socket, SHUT_WR) == 0;
}

}  // namespace zcrxlab
