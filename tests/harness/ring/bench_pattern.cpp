// How fast payload is checked, next to memcmp on the same buffers.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "harness/ring/pattern.hpp"

namespace {

using zcrxlab::Pattern;

// Received buffers of `size` bytes each, as a receiver meets them: one behind the other through an
// area of `total` bytes.
struct Buffers {
    Buffers(size_t buffer, size_t total) : size(buffer), area(total), copy(total) {
        for (size_t at = 0; at < total; at += size)
            pattern.fill(std::span(area).subspan(at, size), at);
        copy = area;
    }
    Pattern pattern{42};
    size_t size;
    std::vector<std::byte> area;
    std::vector<std::byte> copy;
};

void Memcmp(benchmark::State& state) {
    const Buffers buffers(static_cast<size_t>(state.range(0)), static_cast<size_t>(state.range(1)));
    for (auto _ : state) {
        for (size_t at = 0; at < buffers.area.size(); at += buffers.size) {
            int result =
                std::memcmp(buffers.area.data() + at, buffers.copy.data() + at, buffers.size);
            benchmark::DoNotOptimize(result);
        }
    }
    state.SetBytesProcessed(state.iterations() * state.range(1));
}

void Compare(benchmark::State& state) {
    const Buffers buffers(static_cast<size_t>(state.range(0)), static_cast<size_t>(state.range(1)));
    for (auto _ : state) {
        for (size_t at = 0; at < buffers.area.size(); at += buffers.size) {
            auto result =
                buffers.pattern.compare(std::span(buffers.area).subspan(at, buffers.size), at);
            benchmark::DoNotOptimize(result);
        }
    }
    state.SetBytesProcessed(state.iterations() * state.range(1));
}

void Fill(benchmark::State& state) {
    Buffers buffers(static_cast<size_t>(state.range(0)), static_cast<size_t>(state.range(1)));
    for (auto _ : state) {
        for (size_t at = 0; at < buffers.area.size(); at += buffers.size)
            buffers.pattern.fill(std::span(buffers.area).subspan(at, buffers.size), at);
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * state.range(1));
}

// Buffers of a segment, of a page, of a large chunk; areas in the caches and beyond them.
void sizes(benchmark::internal::Benchmark* benchmark) {
    for (const int64_t buffer : {1448, 4096, 65536}) {
        for (const int64_t count : {int64_t{1}, (int64_t{16} << 20) / buffer})
            benchmark->Args({buffer, buffer * count});
    }
}

BENCHMARK(Memcmp)->Apply(sizes);
BENCHMARK(Compare)->Apply(sizes);
BENCHMARK(Fill)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
