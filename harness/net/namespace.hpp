// Network namespaces: doing something in another one without leaving this one.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// Runs `work` in a thread of its own inside the namespace at `path` (/run/netns/NAME), and waits
// for it. An empty path is this namespace: `work` runs right here. What it opens stays in there.
Result<void> in_namespace(const std::string& path, const std::function<Result<void>()>& work);
// The same for a result.
template <typename T>
Result<T> in_namespace_get(const std::string& path, const std::function<Result<T>()>& work) {
    std::optional<Result<T>> result;
    Result<void> ran = in_namespace(path, [&]() -> Result<void> {
        result.emplace(work());
        return {};
    });
    if (!ran) return ran.error();
    return std::move(*result);
}
// Makes a new namespace and mounts it at `path`, which is created.
Result<void> create_namespace(const std::string& path);

}  // namespace zcrxlab
