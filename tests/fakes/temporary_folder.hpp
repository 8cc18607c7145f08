// TemporaryFolder: a folder for the files of one test.
#pragma once

#include <filesystem>
#include <string_view>

namespace zcrxlab {

class TemporaryFolder {
  public:
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();

    const std::filesystem::path& path() const { return path_; }
    // Writes a file, with its folders; its path.
    std::filesystem::path write(const std::filesystem::path& name, std::string_view content) const;
    std::string read(const std::filesystem::path& name) const;

  private:
    std::filesystem::path path_;
};

}  // namespace zcrxlab
