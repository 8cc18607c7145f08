// zcrx-scenarios: runs the scenarios on the machine that it is started on.
#include "lists/player/lists.hpp"
#include "scenarios/runner/machine_observer.hpp"
#include "scenarios/runner/program.hpp"

int main(int argc, char** argv) {
    return zcrxlab::scenario_program(argc, argv, zcrxlab::MachineObserver::create,
                                     zcrxlab::add_action_lists);
}
