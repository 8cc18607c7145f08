// flakes-table: reads the runs of ci/flakes and writes their table.
#include <fstream>
#include <iostream>
#include <string_view>

#include "results/flakes/flakes.hpp"

int main(int count, char** words) {
    using namespace zcrxlab;
    if (count != 2 || std::string_view(words[1]).starts_with("-")) {
        std::cerr << "usage: flakes-table FOLDER   (of ci/flakes; see ci/flakes --help)\n";
        return 64;
    }
    const std::filesystem::path folder = words[1];
    const auto runs = read_loaded_runs(folder);
    if (!runs) {
        std::cerr << runs.error().sentence << "\n";
        return 64;
    }
    const Flakes flakes = flakes_of(*runs);
    std::ofstream file(folder / "flakes.md");
    file << to_markdown(flakes);
    file.close();
    std::cout << to_text(flakes);
    if (!file) {
        std::cerr << "The table could not be written to " << folder / "flakes.md"
                  << ".\n";
        return 1;
    }
    std::cout << "the whole table: " << (folder / "flakes.md").string() << "\n";
    return flakes.differing == 0 && flakes.problems.empty() ? 0 : 1;
}
