// Scenario: a sentence about the kernel with its needs and its body, and the list of all of them.
//
//     SCENARIO(receive, one_byte, "one byte arrives without being copied", Needs{}) {
//         ReceivePath rx = scene.rx();
//         ...
//     }
//
// A table gives one scenario per row; a row has a `name` that is a word, and may have the one
// contract row that it claims as `claims`:
//
//     SCENARIO_TABLE(receive, sizes, "a stream of any size arrives whole", Needs{}, kSizes, size) {
//         ... size.bytes ...
//     }
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/oracle/oracle.hpp"
#include "scenarios/framework/needs.hpp"

namespace zcrxlab {

class Scene;

// What a scenario states besides its sentence and its body. Aggregate: only what differs is named.
struct Terms {
    Terms() = default;
    Terms(Needs what) : needs(std::move(what)) {}  // NOLINT: meant to be implicit

    Terms within(std::chrono::seconds bound) && {
        time = bound;
        return std::move(*this);
    }
    // A negative control: it passes if exactly this invariant is violated.
    Terms must_violate(Invariant invariant) && {
        violates = invariant;
        return std::move(*this);
    }

    // Rows of the contract (scenarios/contract/rows.hpp) that it asserts, by identifier. Rows of a
    // table that have terms of their own claim what the table claims, too.
    Terms claims(std::initializer_list<std::string_view> rows) && {
        claimed.insert(claimed.end(), rows.begin(), rows.end());
        return std::move(*this);
    }

    Needs needs;
    // For the body alone; a scenario that needs longer is killed and failed.
    std::chrono::seconds time{60};
    std::optional<Invariant> violates;
    std::vector<std::string_view> claimed;  // by claims()
};

struct Scenario {
    std::string chapter;
    std::string test;      // "one_byte", or "sizes/64_mib" for a row
    std::string sentence;  // a claim about the kernel, without a full stop
    Terms terms;
    std::function<void(Scene&)> body;
    const char* file = "";
    int line = 0;

    std::string name() const { return chapter + "." + test; }  // as GoogleTest has it
};

struct Chapter {
    std::string_view name;
    std::string_view sentence;
    bool on_request = false;  // runs only if a filter names it
};
// All chapters, in the order in which they run.
const std::vector<Chapter>& chapters();
// The chapter of this name, or nothing.
const Chapter* find_chapter(std::string_view name);

// All scenarios by chapter, file and line.
const std::vector<Scenario>& scenarios();
const Scenario* find_scenario(std::string_view name);
// Called before main() by the macros below.
bool add_scenario(Scenario scenario);

// Whether a GoogleTest filter ("a*:b.c-d*") selects the scenario. An empty filter selects all but
// those of a chapter that runs on request; these need a pattern that begins with their name.
bool selects(std::string_view filter, const Scenario& scenario);

template <typename Rows, typename Body>
bool add_scenario_table(const Scenario& form, const Rows& rows, Body body) {
    for (const auto& row : rows) {
        Scenario scenario = form;
        scenario.test += std::string("/") + std::string(row.name);
        scenario.body = [body, &row](Scene& scene) { body(scene, row); };
        if constexpr (requires { row.terms; }) {
            scenario.terms = row.terms;
            scenario.terms.claimed.insert(scenario.terms.claimed.end(), form.terms.claimed.begin(),
                                          form.terms.claimed.end());
        }
        if constexpr (requires { row.claims; }) scenario.terms.claimed.emplace_back(row.claims);
        add_scenario(std::move(scenario));
    }
    return true;
}

}  // namespace zcrxlab

// The last argument is a Terms (or a Needs); it may hold commas.
#define SCENARIO(chapter, name, sentence, ...)                                             \
    static void scenario_##chapter##_##name(::zcrxlab::Scene& scene);                      \
    [[maybe_unused]] static const bool scenario_##chapter##_##name##_added =               \
        ::zcrxlab::add_scenario({#chapter, #name, sentence, ::zcrxlab::Terms(__VA_ARGS__), \
                                 scenario_##chapter##_##name, __FILE__, __LINE__});        \
    static void scenario_##chapter##_##name([[maybe_unused]] ::zcrxlab::Scene& scene)

// `rows` is an array that lives as long as the program; the body sees its row as `row`. A member
// `terms` of a row takes the place of `terms`.
#define SCENARIO_TABLE(chapter, name, sentence, terms, rows, row)                              \
    static void scenario_##chapter##_##name(::zcrxlab::Scene& scene,                           \
                                            const std::decay_t<decltype((rows)[0])>& row);     \
    [[maybe_unused]] static const bool scenario_##chapter##_##name##_added =                   \
        ::zcrxlab::add_scenario_table(                                                         \
            {#chapter, #name, sentence, ::zcrxlab::Terms(terms), nullptr, __FILE__, __LINE__}, \
            rows, scenario_##chapter##_##name);                                                \
    static void scenario_##chapter##_##name([[maybe_unused]] ::zcrxlab::Scene& scene,          \
                                            const std::decay_t<decltype((rows)[0])>& row)
