// Scene: target, undo and early end.
#include "scenarios/framework/scene.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "harness/base/environment.hpp"
#include "harness/base/exit_code.hpp"
#include "harness/faults/fault_rule_json.hpp"
#include "harness/net/provider.hpp"
#include "harness/net/tcp.hpp"

namespace zcrxlab {

namespace {

constexpr std::chrono::milliseconds kReleaseBound{5000};
// Between two looks at a condition.
constexpr std::chrono::milliseconds kPause{2};
// What a ring, its provider and its connections take to go, on a machine that has much other work.
constexpr std::chrono::milliseconds kForTheEnd{4000};
// Of a scenario whose time is up, and that is still counting its buffers.
constexpr std::chrono::milliseconds kLeastToConnect{1000};

uint64_t seed_of_run() {
    uint64_t seed = 1;
    if (const char* text = std::getenv(environment::kSeed))
        std::from_chars(text, text + std::strlen(text), seed);
    return seed;
}

// FNV-1a over the name, then the finalizer of SplitMix64.
uint64_t mixed(uint64_t seed, const std::string& name, uint64_t salt) {
    uint64_t value = 14695981039346656037U ^ seed;
    for (const char c : name) value = (value ^ static_cast<uint8_t>(c)) * 1099511628211U;
    value += salt * 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return (value ^ (value >> 31)) | 1;
}

}  // namespace

Scene::Scene(const Scenario& scenario, Tape& tape) : scenario_(scenario), tape_(tape) {
    trace_.forward_to([&tape](const Event& event) { tape.event(event); });
}

Scene::~Scene() {
    undo_all();
}

Target& Scene::target() {
    const std::lock_guard lock(mutex_);
    if (!target_) target_ = must(target_from_environment());
    return *target_;
}

uint64_t Scene::seed(uint64_t salt) const {
    return mixed(seed_of_run(), scenario_.name(), salt);
}

bool Scene::counts_always() const {
    const char* count = std::getenv(environment::kCount);
    return count != nullptr && std::string_view(count) == "always" && !scenario_.terms.violates;
}

std::chrono::milliseconds Scene::time_left() const {
    const auto bound = scaled(scenario_.terms.time);
    const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - started_);
    const auto end = std::max(bound / 10, std::min(bound / 2, scaled(kForTheEnd)));
    return std::max(bound - end - elapsed, std::chrono::milliseconds(0));
}

std::chrono::milliseconds Scene::time_to_connect() const {
    return std::min(TcpOptions{}.timeout, std::max(time_left(), scaled(kLeastToConnect)));
}

void Scene::give_up(const std::string& sentence, const ComplaintFacts& facts) {
    tape_.failure(sentence, facts);
    undo_all();
    _exit(kExitFailed);
}

void Scene::undo_later(const std::string& what, std::function<Result<void>()> undo) {
    const std::lock_guard lock(mutex_);
    undo_.push(what, std::move(undo));
}

void Scene::undo_all() {
    const std::lock_guard lock(mutex_);
    for (const Error& error : undo_.run()) tape_.failure(error.sentence);
}

Nic& Scene::nic() {
    const std::lock_guard lock(mutex_);
    if (nic_) return *nic_;
    nic_ = std::make_unique<Nic>(must(Nic::open(endpoints().interface, undo_)));
    nic_->changed = [this](std::string_view setting, uint64_t value) {
        const std::string text =
            setting == "split" ? (value != 0 ? "on" : "off") : std::to_string(value);
        done("nic " + std::string(setting) + "=" + text);
    };
    return *nic_;
}

void Scene::forget_nic() {
    const std::lock_guard lock(mutex_);
    nic_.reset();
}

void Scene::prepare_nic() {
    const std::lock_guard lock(mutex_);
    must(nic().enable_header_split());
    must(nic().spread_over_first(1));
}

RingSizes Scene::ring_sizes() {
    const std::lock_guard lock(mutex_);
    return must(nic().ethtool().rings());
}

bool Scene::becomes(const std::function<bool()>& condition, std::chrono::milliseconds bound) const {
    const auto until = std::chrono::steady_clock::now() + std::min(bound, time_left());
    while (!condition()) {
        // This thread may have been late, and not what it waits for.
        if (std::chrono::steady_clock::now() > until) return condition();
        std::this_thread::sleep_for(kPause);
    }
    return true;
}

void Scene::wait_for(const std::string& otherwise, const std::function<bool()>& condition,
                     std::chrono::milliseconds bound) {
    if (!becomes(condition, bound)) give_up(otherwise);
}

void Scene::steer(const FlowRule& rule) {
    const std::lock_guard lock(mutex_);
    // A listener may get the port of one that is gone, whose rule is there until the end.
    if (std::ranges::find(rules_, rule) != rules_.end()) return;
    must(nic().add_rule(rule));
    rules_.push_back(rule);
}

void Scene::wait_for_release(uint32_t queue) {
    const ProviderReleased released =
        must(zcrxlab::wait_for_release(endpoints().interface, queue, scaled(kReleaseBound)));
    trace_.add(released);
    if (!released.released)
        give_up("The provider is still on queue " + std::to_string(queue) + " of " +
                    released.interface + ".",
                {.kind = ComplaintKind::kProviderStays});
}

Result<std::string> Scene::control(const std::string& json) {
    const std::lock_guard lock(mutex_);
    return target().control(json);
}

void Scene::inject(const FaultRule& rule) {
    const std::lock_guard lock(mutex_);
    must(target().inject(rule));
    trace_.add(FaultInjected{fault_rule_text(rule)});
}

void Scene::read_dma_log() {
    const std::lock_guard lock(mutex_);
    if (target().abilities().dma_log) trace_.add(must(target().take_dma_log()));
}

}  // namespace zcrxlab
