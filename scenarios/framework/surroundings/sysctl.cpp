// Reads and writes /proc/sys/net in a network namespace.
#include "scenarios/framework/surroundings/sysctl.hpp"

#include <fcntl.h>

#include <cerrno>
#include <fstream>

#include "harness/net/namespace.hpp"

namespace zcrxlab {

void set_sysctl(Scene& scene, const std::string& space, const std::string& name,
                const std::string& value) {
    const std::string path = "/proc/sys/net/" + name;
    const auto write = [space, path](const std::string& text) {
        return in_namespace(space, [&]() -> Result<void> {
            const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
            if (!file || ::write(file.get(), text.data(), text.size()) < 0)
                return error_from_errno("write " + text + " to " + path);
            return {};
        });
    };
    const std::string before =
        scene.must(in_namespace_get<std::string>(space, [&]() -> Result<std::string> {
            std::ifstream file(path);
            std::string text;
            if (!(file >> text)) return Error{ENOENT, "There is no " + path + "."};
            return text;
        }));
    scene.must(write(value));
    scene.undo_later(path, [write, before] { return write(before); });
}

}  // namespace zcrxlab
