// Scene: target, undo and early end.
#include "scenarios/form/scene.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace zcrxlab {

namespace {

uint64_t seed_of_run() {
    uint64_t seed = 1;
    if (const char* text = std::getenv("ZCRXLAB_SEED"))
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

Scene::~Scene() { undo_all(); }

Target& Scene::target() {
    if (!target_) target_ = must(target_from_environment());
    return *target_;
}

uint64_t Scene::seed(uint64_t salt) const { return mixed(seed_of_run(), scenario_.name(), salt); }

void Scene::give_up(const std::string& sentence) {
    tape_.failure(sentence);
    undo_all();
    _exit(1);
}

void Scene::undo_later(std::function<void()> undo) { undo_later(Defer(std::move(undo))); }

void Scene::undo_later(Defer undo) {
    const std::lock_guard lock(mutex_);
    undos_.push_back(std::move(undo));
}

void Scene::undo_all() {
    // An undo may give up in turn; what it has taken is not undone twice.
    while (true) {
        Defer last([] {});
        {
            const std::lock_guard lock(mutex_);
            if (undos_.empty()) return;
            last = std::move(undos_.back());
            undos_.pop_back();
        }
        last.run();
    }
}

void Scene::inject(const std::string& rule) {
    must(target().inject(rule));
    trace_.add(FaultInjected{rule});
}

}  // namespace zcrxlab
