// Makes and removes folders for tests.
#include "tests/fakes/temporary_folder.hpp"

#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <string>

namespace zcrxlab {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
    std::string path = fs::temp_directory_path() / "zcrxlab-test.XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) std::abort();
    path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

fs::path TemporaryFolder::write(const fs::path& name, std::string_view content) const {
    fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file;
}

std::string TemporaryFolder::read(const fs::path& name) const {
    std::ifstream stream(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace zcrxlab
