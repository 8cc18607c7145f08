// Random: gives the numbers of a seed (SplitMix64), the same on every machine.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

namespace zcrxlab {

class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}
    // For one of many things that have to differ, whoever asks first.
    Random(uint64_t seed, uint64_t number) { start_over(seed, number); }

    // From the choice of this number on (the first one is 0) it goes on as another one would that
    // was just made; the earlier choices stay what they are.
    struct Turn {
        uint64_t choice = 0;
        uint64_t seed = 0;
        uint64_t number = 0;

        bool operator==(const Turn&) const = default;
    };
    // `turns` in order, borrowed; the first one at 0.
    explicit Random(std::span<const Turn> turns) : state_(0), turns_(turns) {}

    uint64_t next() {
        while (!turns_.empty() && turns_.front().choice <= choices_) {
            const Turn turn = turns_.front();
            turns_ = turns_.subspan(1);
            start_over(turn.seed, turn.number);
        }
        ++choices_;
        return step();
    }
    // How many were made.
    uint64_t choices() const { return choices_; }

    // 0 to below - 1; `below` is at least 1.
    uint64_t below(uint64_t below) { return next() % below; }
    uint64_t between(uint64_t least, uint64_t most) { return least + below(most - least + 1); }
    bool percent(unsigned chance) { return below(100) < chance; }
    template <typename T>
    T one_of(std::initializer_list<T> list) {
        return list.begin()[below(list.size())];
    }

  private:
    void start_over(uint64_t seed, uint64_t number) {
        state_ = seed ^ (number + 1) * 0xd1342543de82ef95U;
        step();
    }
    uint64_t step() {
        uint64_t x = state_ += 0x9e3779b97f4a7c15U;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
        x = (x ^ x >> 27) * 0x94d049bb133111ebU;
        return x ^ x >> 31;
    }

    uint64_t state_ = 0;
    uint64_t choices_ = 0;
    std::span<const Turn> turns_;
};

}  // namespace zcrxlab
