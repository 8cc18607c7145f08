// Random: numbers of a seed (SplitMix64), the same on every machine.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace zcrxlab {

class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}
    // For one of many things that have to differ, whoever asks first.
    Random(uint64_t seed, uint64_t number) : state_(seed ^ (number + 1) * 0xd1342543de82ef95U) {
        next();
    }

    uint64_t next() {
        uint64_t x = state_ += 0x9e3779b97f4a7c15U;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
        x = (x ^ x >> 27) * 0x94d049bb133111ebU;
        return x ^ x >> 31;
    }
    // 0 to below - 1; `below` is at least 1.
    uint64_t below(uint64_t below) { return next() % below; }
    uint64_t between(uint64_t least, uint64_t most) { return least + below(most - least + 1); }
    bool percent(unsigned chance) { return below(100) < chance; }
    template <typename T>
    T one_of(std::initializer_list<T> list) {
        return list.begin()[below(list.size())];
    }

  private:
    uint64_t state_;
};

}  // namespace zcrxlab
