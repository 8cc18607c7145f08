// FailNth: lets the n-th thing that can fail inside the kernel, in this thread, fail.
//
// Needs a kernel with CONFIG_FAULT_INJECTION (Documentation/fault-injection/fault-injection.rst,
// "/proc/<pid>/task/<tid>/fail-nth"): every allocation from slab and pages, and every copy from and
// to the user, is counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/base/fd.hpp"
#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

class FailNth {
  public:
    // Whether a call in which something has failed may be refused with it: ENOMEM of an
    // allocation, EFAULT of a copy from or to the user. Positive.
    static bool may_refuse_with(int code);

    // Lets allocations that may sleep fail as well, which a kernel spares by default.
    explicit FailNth(Scene& scene);
    // Of allocations only those from this cache of the slab allocator; copies fail nevertheless.
    FailNth(Scene& scene, const std::string& cache);
    // Nothing fails any more, and the kernel spares what it spared before.
    ~FailNth();
    FailNth(const FailNth&) = delete;
    FailNth& operator=(const FailNth&) = delete;

    // From now on the `n`-th thing fails; n > 0.
    void arm(uint32_t n);
    // Nothing fails any more. True if something has failed since arm().
    bool disarm();

  private:
    // False where the kernel has it not.
    bool change(const std::string& file, const std::string& value);

    struct Setting {
        std::string file;
        std::string before;
    };

    Scene& scene_;
    Fd nth_;
    std::vector<Setting> settings_;
};

}  // namespace zcrxlab
