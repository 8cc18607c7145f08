// Rows of verbs: each is a file, and each of its columns says how or why not. Whether a room does
// what its column says is tested with that room: bundle_test, from_trace_test, fuzz_test,
// smaller_test.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "lists/verbs/row/row.hpp"

namespace zcrxlab {
namespace {

TEST(Verbs, AreAFileEach) {
    std::set<std::string> words, files;
    for (const VerbForm& form : verb_forms()) words.emplace(form.word);
    for (const auto& entry : std::filesystem::directory_iterator(ZCRXLAB_VERBS))
        if (entry.path().extension() == ".cpp") files.insert(entry.path().stem().string());
    EXPECT_EQ(files, words);
}

// The end of a sentence: "... is not in C: only the emulated NIC injects faults".
void expect_reason(std::string_view word, std::string_view why) {
    EXPECT_FALSE(why.empty()) << word;
    EXPECT_FALSE(why.ends_with('.')) << word << ": " << why;
}

template <typename How>
void expect_treated(std::string_view word, const Column<How>& column) {
    if (column.how() == nullptr) expect_reason(word, column.why_not());
}

TEST(Verbs, AreTreatedOrSayWhyNot) {
    for (const VerbForm& form : verb_forms()) {
        const VerbRow& row = row_of(form.verb);
        EXPECT_EQ(row.form.word, form.word);
        EXPECT_NE(row.player.how(), nullptr) << form.word << " is a verb that nobody does";
        expect_treated(form.word, row.needs);
        expect_treated(form.word, row.in_c);
        expect_treated(form.word, row.from_trace);
        expect_treated(form.word, row.fuzzer);
        expect_treated(form.word, row.shrinker);
        const FromTrace* trace = row.from_trace.how();
        EXPECT_TRUE(trace == nullptr || trace->noted || !trace->events.empty()) << form.word;
        if (const ByFuzzer* fuzzer = row.fuzzer.how()) expect_reason(form.word, fuzzer->how);
    }
}

TEST(Verbs, AreMadeSimplerWhereTheyHaveSomething) {
    for (const VerbForm& form : verb_forms()) {
        const Simpler* simpler = row_of(form.verb).shrinker.how();
        if (simpler == nullptr) continue;
        const auto is_number = [](const Parameter& parameter) {
            return parameter.kind == ValueKind::kNumber && parameter.name != "within";
        };
        EXPECT_TRUE(!simpler->numbers || std::ranges::any_of(form.parameters, is_number))
            << form.word;
        EXPECT_TRUE(!simpler->json || form.text) << form.word;
        EXPECT_TRUE(!simpler->hands_over || form.lines) << form.word;
        EXPECT_TRUE(simpler->numbers || simpler->json || simpler->hands_over ||
                    simpler->sent != nullptr)
            << form.word;
        size_t found = 0;
        for (const Parameter& parameter : form.parameters)
            if (has_word(simpler->at_most_sent, parameter.name)) found += is_number(parameter);
        EXPECT_EQ(found, simpler->at_most_sent.empty()
                             ? 0
                             : std::ranges::count(simpler->at_most_sent, ' ') + 1)
            << form.word;
    }
}

// Which function was called last.
class NotingPlayer : public Player {
  public:
    std::string called = {};

    void make_ring(const Action&) override { called = "make_ring"; }
    void make_ifq(const Action&) override { called = "make_ifq"; }
    void add_area(const Action&) override { called = "add_area"; }
    void make_box(const Action&) override { called = "make_box"; }
    void import_ifq(const Action&) override { called = "import_ifq"; }
    void connect(const Action&) override { called = "connect"; }
    void close(const Action&) override { called = "close"; }
    void send(const Action&) override { called = "send"; }
    void send_urgent(const Action&) override { called = "send_urgent"; }
    void end(const Action&) override { called = "end"; }
    void arm(const Action&) override { called = "arm"; }
    void refuse(const Action&) override { called = "refuse"; }
    void cancel(const Action&) override { called = "cancel"; }
    void wait(const Action&) override { called = "wait"; }
    void run_until_quiet(const Action&) override { called = "run_until_quiet"; }
    void submit(const Action&) override { called = "submit"; }
    void submit_nops(const Action&) override { called = "submit_nops"; }
    void set_policy(const Action&) override { called = "set_policy"; }
    void give_back(const Action&) override { called = "give_back"; }
    void flush(const Action&) override { called = "flush"; }
    void arm_event(const Action&) override { called = "arm_event"; }
    void await_event(const Action&) override { called = "await_event"; }
    void count(const Action&) override { called = "count"; }
    void compare_buffers(const Action&) override { called = "compare_buffers"; }
    void count_capacity(const Action&) override { called = "count_capacity"; }
    void change_nic(const Action&) override { called = "change_nic"; }
    void inject(const Action&) override { called = "inject"; }
    void switch_link(const Action&) override { called = "switch_link"; }
    void reset_device(const Action&) override { called = "reset_device"; }
    void remove_device(const Action&) override { called = "remove_device"; }
    void rescan(const Action&) override { called = "rescan"; }
    void fork(const Action&) override { called = "fork"; }
    void start_process(const Action&) override { called = "start_process"; }
    void reap(const Action&) override { called = "reap"; }
    void kill(const Action&) override { called = "kill"; }
    void start_thread(const Action&) override { called = "start_thread"; }
    void join(const Action&) override { called = "join"; }
    void pause(const Action&) override { called = "pause"; }
};

TEST(Verbs, ArePlayedByAFunctionEach) {
    NotingPlayer player;
    std::set<std::string> called;
    for (const VerbForm& form : verb_forms()) {
        const PlayedBy* function = row_of(form.verb).player.how();
        ASSERT_NE(function, nullptr) << form.word;
        (static_cast<Player&>(player).**function)({.verb = form.verb});
        EXPECT_TRUE(called.insert(player.called).second)
            << form.word << " does what another verb does: " << player.called;
    }
    EXPECT_EQ(called.size(), kVerbs);
}

}  // namespace
}  // namespace zcrxlab
