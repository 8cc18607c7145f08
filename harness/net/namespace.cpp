// Enters another namespace in a thread of its own, because setns(2) is per thread.
#include "harness/net/namespace.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <optional>
#include <thread>

namespace zcrxlab {

Result<void> in_namespace(const std::string& path, const std::function<Result<void>()>& work) {
    if (path.empty()) return work();
    const Fd there(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!there) {
        Error error = error_from_errno("open the network namespace " + path);
        error.sentence += "; type: ip netns list, and set ZCRXLAB_PEER_NETNS";
        return error;
    }
    Result<void> result;
    std::thread thread([&] {
        if (::setns(there.get(), CLONE_NEWNET) != 0) {
            result = error_from_errno("enter the network namespace " + path);
            return;
        }
        result = work();
    });
    thread.join();
    return result;
}

Result<void> create_namespace(const std::string& path) {
    const Fd file(::open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file) return error_from_errno("create " + path);
    Result<void> result;
    std::thread thread([&] {
        if (::unshare(CLONE_NEWNET) != 0) {
            result = error_from_errno("make a network namespace");
        } else if (::mount("/proc/thread-self/ns/net", path.c_str(), "none", MS_BIND, nullptr) !=
                   0) {
            result = error_from_errno("mount the network namespace at " + path);
        }
    });
    thread.join();
    if (!result) ::unlink(path.c_str());
    return result;
}

}  // namespace zcrxlab
