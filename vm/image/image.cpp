// Assembles the guest image.
#include "vm/image/image.hpp"

#include <array>

#include "harness/base/file.hpp"
#include "vm/guest/cpio.hpp"
#include "vm/image/program_files.hpp"

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

// What a person at the prompt reaches for. ip, ss and ethtool are the real programs.
constexpr std::array kApplets{
    "sh",       "ls",     "cat",     "echo",     "grep",  "sed",   "awk",     "ps",      "top",
    "dmesg",    "mount",  "umount",  "lsmod",    "rmmod", "sleep", "kill",    "killall", "ping",
    "ping6",    "nc",     "vi",      "less",     "more",  "head",  "tail",    "wc",      "sort",
    "uniq",     "cut",    "tr",      "tee",      "find",  "xargs", "hexdump", "od",      "cp",
    "mv",       "rm",     "mkdir",   "ln",       "touch", "chmod", "dd",      "free",    "uname",
    "date",     "time",   "timeout", "watch",    "env",   "id",    "true",    "false",   "test",
    "seq",      "printf", "lspci",   "nsenter",  "stty",  "reset", "clear",   "cmp",     "insmod",
    "poweroff", "reboot", "setsid",  "cttyhack", "stat",  "df",    "du"};

Result<void> add_program(CpioWriter& image, const GuestProgram& program) {
    if (image.has(program.path)) return {};
    Result<std::string> bytes = read_file(program.file);
    if (!bytes) return bytes.error();
    // A script needs no libraries, only its interpreter.
    if (bytes->compare(0, 2, "#!") == 0) {
        image.add_file(program.path, *bytes, 0755);
        return {};
    }
    const auto libraries = program_libraries(program.file);
    if (!libraries) return libraries.error();
    image.add_file(program.path, without_debug_information(std::move(*bytes)), 0755);
    for (const fs::path& library : *libraries) {
        if (image.has(library.string())) continue;
        Result<std::string> content = read_file(library);
        if (!content) return content.error();
        image.add_file(library.string(), without_debug_information(std::move(*content)), 0755);
    }
    return {};
}

}  // namespace

Result<std::string> build_image(const ImageParts& parts) {
    CpioWriter image;
    for (const char* folder : {"/dev", "/proc", "/sys", "/run", "/tmp", "/etc", "/root"})
        image.add_folder(folder);
    image.add_link("/var/run", "../run");
    // Init's own output goes there before devtmpfs is mounted.
    image.add_character_device("/dev/console", 5, 1);
    image.add_file("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n");
    image.add_file("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n");

    Result<std::string> init = read_file(parts.init);
    if (!init) return init.error();
    image.add_file("/init", without_debug_information(std::move(*init)), 0755);

    GuestPlan plan = parts.plan;
    plan.modules.clear();
    for (const KernelModule& module : parts.modules) {
        plan.modules.push_back("/lib/modules/" + module.name + ".ko");
        image.add_file(plan.modules.back(), module.bytes);
    }
    image.add_file(kGuestPlanPath, to_text(plan));

    for (const GuestProgram& program : parts.programs)
        if (auto added = add_program(image, program); !added) return added.error();
    if (!parts.busybox.empty()) {
        if (auto added = add_program(image, {parts.busybox, "/bin/busybox"}); !added)
            return added.error();
        for (const char* applet : kApplets)
            image.add_link(std::string("/bin/") + applet, "busybox");
    }
    for (const auto& [content, path] : parts.files) image.add_file(path, content);
    return image.finish();
}

}  // namespace zcrxlab
