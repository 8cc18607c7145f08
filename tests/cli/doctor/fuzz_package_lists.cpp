// Any bytes as what apt prints: package records, lists of files, mirrors, versions.
//
// reaches kernels/packages/apt.cpp: if (!file.name.ends_with(".deb") ||
// reaches kernels/packages/apt.cpp: return error == std::errc{} && percent >= 0
// reaches kernels/packages/apt.cpp: if (seen.size() >= kComplaintLines ||
// reaches kernels/packages/archive.cpp: if (suite.find("security") != std::string::npos ||
// reaches kernels/packages/archive.cpp: if (!rolling && (suite.empty()
// reaches kernels/packages/archive.cpp: std::erase(value, '\'');
// reaches 55 % of kernels/release.cpp
// reaches 55 % of kernels/packages/version.cpp
#include <cstdlib>
#include <string>

#include "cli/doctor/examination.hpp"
#include "kernels/packages/apt.hpp"
#include "kernels/packages/archive.hpp"
#include "kernels/release.hpp"
#include "vm/qemu/qemu_program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace zcrxlab;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto kernels = packaged_kernels(text, "suite");
    // What is kept in the cache must come back as it was.
    const auto back = packaged_kernels_from_text(packaged_kernels_text(kernels), "suite");
    if (back.size() > kernels.size()) std::abort();
    (void)packaged_kernels_from_text(text, "suite");
    (void)standard_match(kernels, "cloud-amd64");
    if (const auto wish = KernelWish::parse(text); wish) (void)newest_match(kernels, *wish);
    if (const auto files = parse_print_uris(text); files)
        for (const PackageFile& file : *files)
            if (file.name.find('/') != std::string::npos) std::abort();
    const double percent = parse_download_status(text);
    if (percent > 100) std::abort();
    (void)apt_complaints(text);
    for (const std::string& mirror :
         {mirror_of_index_targets(text), mirror_of_update_uris(text, "trixie")})
        if (!mirror.empty() && mirror.find_first_of(" \n\"[]") != std::string::npos) std::abort();
    (void)os_release_value(text, "ID");
    (void)parse_qemu_version(text);
    (void)packages_for(text, "run");
    return 0;
}
