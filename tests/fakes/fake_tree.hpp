// What the tests of finding and fetching stand on: folders, images, packages and an apt that asks
// no network.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "kernels/packages/cache.hpp"
#include "tests/fakes/bzimage.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab::fake {

inline constexpr const char* kRelease = "7.3.4+deb13-cloud-amd64";

using Folder = TemporaryFolder;

// An environment variable that is put back with the test.
class Variable {
  public:
    Variable(std::string name, const std::string& value);
    ~Variable();
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    std::string name_;
    std::string before_;
    bool was_set_;
};

void write(const std::filesystem::path& file, const std::string& text);
std::string read(const std::filesystem::path& file);

// Writes image and modules of `release` below `root`, as a package since 6.19 has them.
void install_kernel(const std::filesystem::path& root, const std::string& release,
                    bool with_gve = true);

// Programs apt-get and apt-cache that serve what is in a folder, and note in "calls" what they are
// asked.
class Apt {
  public:
    Apt();
    // A package that the mirror has: made with dpkg-deb from the files below `root`.
    void add_package(const std::string& name, const std::string& version,
                     const std::filesystem::path& root, const std::string& extra_fields = "");
    // One that the mirror still has, and no list names any more.
    void add_unlisted(const std::string& name, const std::string& version,
                      const std::filesystem::path& root);
    // The mirror gives `text` in place of the package.
    void serve_instead(const std::string& name, const std::string& version,
                       const std::string& text);
    std::string calls() const { return read(folder_.path() / "calls"); }
    static std::string file_name(const std::string& name, const std::string& version);

  private:
    Folder folder_;
    Variable path_;
    Variable mirror_;
};

bool have_dpkg_deb();

// An empty cache and an archive without packages. A test with a SetUp() of its own calls this one
// first, and returns if IsSkipped().
class FetchingTest : public testing::Test {
  protected:
    void SetUp() override;

    Folder folder_;
    Variable cache_{"ZCRXLAB_CACHE", (folder_.path() / "cache").string()};
    Apt apt_;
};

}  // namespace zcrxlab::fake
