// ConformRecords: what a guest tells of a program and its peers, round by round, until each can be
// judged.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/trace/record.hpp"
#include "results/conform/judge.hpp"
#include "results/exec/zcrx_report.hpp"

namespace zcrxlab {

class ConformRecords {
  public:
    // `judged` gets each round as soon as it is over.
    explicit ConformRecords(std::function<void(const ConformRound&)> judged)
        : judged_(std::move(judged)) {}

    // kProgram and kOutput records of any content as they come; others are left alone. True if the
    // program was just started for the first time.
    bool take(const Record& record);
    // What zero-copy receive did in the round that is over.
    const ZcrxReport& report() const { return report_; }

  private:
    void take_program(std::string_view json);
    void take_output(std::string_view bytes);

    std::function<void(const ConformRound&)> judged_;
    std::optional<ConformRound> round_;
    ZcrxReport report_;
    std::string peer_, program_;  // what they printed in this round
    bool started_ = false;
};

}  // namespace zcrxlab
