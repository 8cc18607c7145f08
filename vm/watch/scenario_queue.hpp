// ScenarioQueue: the scenarios of a run, handed out one by one to the VMs that run them.
//
// It does no input or output: whoever runs the VMs tells it what they say.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace zcrxlab {

// What a guest said that it could run (kPlan of a run that is dealt).
struct ScenarioOffer {
    std::vector<std::string> names;
    std::set<std::string> unfit;  // can only be skipped there
    // Of each name; a list that is too short is filled up with zeros.
    std::vector<double> bounds;  // in seconds
    std::vector<double> cpus;    // that it needs
};

class ScenarioQueue {
  public:
    explicit ScenarioQueue(size_t vms) : runners_(vms) {}

    // VM 0 is dearer than the others: as long as there are others, it gets only what needs several
    // CPUs.
    void keep_first_for_parallel() { first_for_parallel_ = true; }

    // Where the first failure ends the run, what may take long comes last. Before the first joins.
    void put_quick_first() { quick_first_ = true; }

    // VM `vm` is ready, and this is its plan.
    void join(size_t vm, const ScenarioOffer& plan);
    // What VM `vm` runs next; empty: nothing is left that it could run, and it asks no more.
    std::string next(size_t vm);
    // What some VM got was not judged: somebody gets it once more, behind all others. Nothing if
    // nobody ever got it.
    void again(const std::string& name);
    // It asks no more, for whatever reason.
    void leave(size_t vm) { runners_.at(vm).there = false; }

    // Every scenario that some VM has in its plan, in the plans' order.
    const std::vector<std::string>& all() const { return order_; }
    // Those that nobody got.
    std::vector<std::string> left() const;

  private:
    struct Runner {
        bool there = true;  // not joined yet, or still asking
        std::set<std::string> known, unfit;
    };
    struct Waiting {
        std::string name;
        double bound;
        bool parallel;  // needs several CPUs
    };
    // The first card that `wanted` takes, which is then gone; empty if there is none.
    template <typename Wanted>
    std::string take(Wanted wanted);
    bool others_than(size_t vm) const;

    std::vector<Runner> runners_;
    bool first_for_parallel_ = false, quick_first_ = false;
    std::vector<std::string> order_;
    std::vector<Waiting> waiting_;  // longest bound first, or shortest
    std::vector<Waiting> dealt_;
};

}  // namespace zcrxlab
