// NotedRun: in place of "zcrxlab run", a program that notes how it was called, and leaves results.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {

class NotedRun {
  public:
    // The text of results.json.
    explicit NotedRun(const std::string& results) {
        std::ofstream(program()) << R"(#!/bin/sh
here=$(dirname "$0")
echo "$*" >>"$here/calls"
while [ $# -gt 0 ]; do
    case $1 in
        --out) out=$2 ;;
    esac
    shift
done
mkdir -p "$out"
cp "$here/results.json" "$out"
)";
        std::filesystem::permissions(program(), std::filesystem::perms::owner_all);
        std::ofstream(folder_.path() / "results.json") << results;
    }
    std::filesystem::path program() const { return folder_.path() / "zcrxlab"; }
    // For results.
    std::filesystem::path out() const { return folder_.path() / "out"; }
    // The arguments of each call, as one line.
    std::vector<std::string> calls() const {
        std::vector<std::string> lines;
        std::ifstream file(folder_.path() / "calls");
        for (std::string line; std::getline(file, line);) lines.push_back(line);
        return lines;
    }

  private:
    TemporaryFolder folder_;
};

}  // namespace zcrxlab
