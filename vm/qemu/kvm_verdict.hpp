// KvmVerdict: what the probe of KVM found, remembered for a while, because it takes a second where
// KVM is there and does not work.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/result.hpp"
#include "vm/qemu/qemu_program.hpp"

namespace zcrxlab {

class KvmVerdict {
  public:
    // `file` lies in the cache.
    explicit KvmVerdict(std::filesystem::path file) : file_(std::move(file)) {}

    // As probe_kvm() says, or said on this machine within the last hour and since its start.
    // Only that a guest does not run (EIO) is remembered: all else is found at once.
    Result<void> ask(const QemuProgram& qemu) const;
    // For the next one to ask.
    void remember(const Result<void>& probed) const;

  private:
    std::filesystem::path file_;
};

// Of the cache in the environment; without one nothing is remembered.
KvmVerdict kvm_verdict();

}  // namespace zcrxlab
