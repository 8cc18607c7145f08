// Program: the command line of a scenario program, shared by zcrx-scenarios and its unit tests.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "harness/base/result.hpp"
#include "scenarios/runner/observer.hpp"

namespace zcrxlab {

// Makes the observer; not called for --list and --help.
using MakeObserver = std::function<Result<std::unique_ptr<Observer>>()>;

// Adds the lists of actions in a file or a folder to the scenarios.
using AddLists = std::function<Result<void>(const std::string& path)>;

// The whole of main().
int scenario_program(int argc, char** argv, const MakeObserver& make_observer,
                     const AddLists& add_lists = {});

}  // namespace zcrxlab
