// Folders, images, packages and the fake apt.
#include "tests/fakes/fake_tree.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "harness/base/program.hpp"
#include "kernels/packages/archive.hpp"

namespace zcrxlab::fake {

namespace fs = std::filesystem;

namespace {

constexpr const char* kAptGet = R"(#!/bin/sh
here=$(dirname "$0")
echo "apt-get $*" >> "$here/calls"
case " $* " in
*" indextargets "*) exit 0 ;;
*--print-uris*) cat "$here/uris" ;;
*" update "*) [ ! -e "$here/unplugged" ] || { echo "E: Could not connect"; exit 100; } ;;
*" download "*)
    echo "dlstatus:1:50.0:Retrieving file 1 of 1"
    cp "$here"/served/*.deb . ;;
esac
)";

constexpr const char* kAptCache = R"(#!/bin/sh
here=$(dirname "$0")
echo "apt-cache $*" >> "$here/calls"
cat "$here/records"
)";

// As it is asked: ... download-file URI FILE
constexpr const char* kAptHelper = R"sh(#!/bin/sh
here=$(dirname "$0")
echo "apt-helper $*" >> "$here/calls"
for file; do :; done
cp "$here/unlisted/$(basename "$file")" "$file" || { echo "E: 404 Not Found"; exit 100; }
)sh";

void write_program(const fs::path& file, const std::string& text) {
    write(file, text);
    fs::permissions(file, fs::perms::owner_all);
}

std::string fields_of(const std::string& name, const std::string& version) {
    return "Package: " + name + "\nVersion: " + version + "\n";
}

void build_package(const std::string& fields, const fs::path& root, const fs::path& deb) {
    write(root / "DEBIAN/control",
          fields + "Architecture: amd64\nMaintainer: nobody <n@example>\nDescription: none\n");
    fs::create_directories(deb.parent_path());
    const auto built = run_program({"dpkg-deb", "-Znone", "--build", root.string(), deb.string()});
    ASSERT_TRUE(built && built->exit_code == 0) << (built ? built->output : "");
}

std::string environment_value(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value != nullptr ? value : "";
}

}  // namespace

Variable::Variable(std::string name, const std::string& value)
    : name_(std::move(name)),
      before_(environment_value(name_)),
      was_set_(std::getenv(name_.c_str()) != nullptr) {
    ::setenv(name_.c_str(), value.c_str(), 1);
}

Variable::~Variable() {
    if (was_set_)
        ::setenv(name_.c_str(), before_.c_str(), 1);
    else
        ::unsetenv(name_.c_str());
}

void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
}

std::string read(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

void install_kernel(const fs::path& root, const std::string& release, bool with_gve) {
    const fs::path modules = root / "usr/lib/modules" / release;
    write(modules / "vmlinuz", bzimage(release));
    write(modules / "modules.builtin", "kernel/drivers/virtio/virtio_pci.ko\n");
    if (with_gve) write(modules / "kernel/drivers/net/ethernet/google/gve/gve.ko.xz", "gve");
    fs::create_directories(modules / "kernel");
}

Apt::Apt()
    : path_("PATH", folder_.path().string() + ":" + environment_value("PATH")),
      mirror_("ZCRXLAB_MIRROR", "http://mirror.invalid/debian") {
    write_program(folder_.path() / "apt-get", kAptGet);
    write_program(folder_.path() / "apt-cache", kAptCache);
    write_program(folder_.path() / "apt-helper", kAptHelper);
    write(folder_.path() / "records", "");
    write(folder_.path() / "uris", "");
    write(folder_.path() / "calls", "");
}

std::string Apt::file_name(const std::string& name, const std::string& version) {
    return name + "_" + version + "_amd64.deb";
}

void Apt::add_unlisted(const std::string& name, const std::string& version, const fs::path& root) {
    build_package(fields_of(name, version), root,
                  folder_.path() / "unlisted" / file_name(name, version));
}

void Apt::add_package(const std::string& name, const std::string& version, const fs::path& root,
                      const std::string& extra_fields) {
    const std::string fields = fields_of(name, version) + extra_fields;
    const fs::path deb = folder_.path() / "served" / file_name(name, version);
    build_package(fields, root, deb);
    const auto digest = run_program({"sha256sum", deb.string()});
    ASSERT_TRUE(digest && digest->exit_code == 0);
    const std::string size = std::to_string(fs::file_size(deb));
    write(folder_.path() / "records",
          read(folder_.path() / "records") + fields + "Size: " + size + "\n\n");
    write(folder_.path() / "uris", read(folder_.path() / "uris") + "'http://mirror.invalid/x' " +
                                       file_name(name, version) + " " + size +
                                       " SHA256:" + digest->output.substr(0, 64) + "\n");
}

void Apt::serve_instead(const std::string& name, const std::string& version,
                        const std::string& text) {
    write(folder_.path() / "served" / file_name(name, version), text);
}

bool have_dpkg_deb() {
    return program_exists("dpkg-deb");
}

void FetchingTest::SetUp() {
    if (!have_dpkg_deb()) GTEST_SKIP() << "needs dpkg-deb: apt install dpkg";
    if (!find_archive(Cache(folder_.path())))
        GTEST_SKIP() << "needs Debian's keys: apt install debian-archive-keyring";
}

}  // namespace zcrxlab::fake
