// The order that makes it safe: hold, look, ask, journal, take; give back, compare, clear the
// journal.
#include "vm/passthrough/taken_cards.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "harness/lab/journals.hpp"

namespace zcrxlab {
namespace {

// By the port's name, as lab mode has it; a function without a port has a file, too.
std::vector<std::string> file_names(const Journal& journal) {
    std::vector<std::string> names;
    for (const PciFunction& function : journal.functions) {
        bool has_port = false;
        for (const JournalPort& port : journal.ports) {
            if (port.pci != function.address) continue;
            names.push_back(JournalFile::name_for(port.pci, port.interface));
            has_port = true;
        }
        if (!has_port) names.push_back(JournalFile::name_for(function.address, "vfio"));
    }
    return names;
}

Result<PassthroughOrder> order_of(const VmOptions& options) {
    PassthroughOrder order;
    auto nic = function_named(options.nic);
    if (!nic) return nic.error();
    order.nic = std::move(*nic);
    if (!options.peer.empty()) {
        auto peer = function_named(options.peer);
        if (!peer) return peer.error();
        order.peer = std::move(*peer);
    }
    order.guest_memory = uint64_t{mebibytes(options.memory)} << 20;
    return order;
}

}  // namespace

Result<std::unique_ptr<TakenCards>> TakenCards::look(const VmOptions& options) {
    if (::geteuid() != 0)
        return Error{EPERM, "Taking a NIC from its driver needs root; type: sudo zcrxlab run ..."};
    const auto order = order_of(options);
    if (!order) return order.error();
    std::vector<std::string> names{order->nic};
    if (!order->peer.empty()) names.push_back(order->peer);
    if (!options.print_command)
        if (auto mended = mend_earlier(names, options.yes); !mended) return mended.error();
    auto cards = Passthrough::look(*order);
    if (!cards) return cards.error();
    std::vector<JournalFile> held;
    if (!options.print_command) {
        // The first look was for the names; another run may have changed the cards since.
        const std::vector<std::string> files = file_names(cards->journal());
        auto holding = hold_for_run(files, names);
        if (!holding) return holding.error();
        held = std::move(*holding);
        cards = Passthrough::look(*order);
        if (!cards) return cards.error();
        if (file_names(cards->journal()) != files)
            return Error{EBUSY, "The cards' ports have just changed; try again."};
    }
    for (const std::string& line : cards->description()) fmt::print("{}\n", line);
    std::fflush(stdout);
    if (const auto refusals = cards->refusals(); !refusals.empty()) {
        std::string sentence = "These cards are not taken:";
        for (const std::string& reason : refusals) sentence += "\n  " + reason;
        return Error{EACCES, sentence};
    }
    std::unique_ptr<TakenCards> looked(new TakenCards(std::move(*cards), std::move(held)));
    if (options.print_command) return looked;
    fmt::print("To be done, and undone afterwards:\n");
    for (const std::string& command : looked->commands()) fmt::print("  {}\n", command);
    std::fflush(stdout);
    if (!options.yes && !agrees()) return Error{ECANCELED, "Nothing was changed."};
    return looked;
}

TakenCards::~TakenCards() {
    if (taken_) give_back();
}

Result<void> TakenCards::take() {
    journal_ = cards_.journal();
    // From here on nothing may end us without giving back but what the journal is for.
    signals_.emplace();
    if (auto written = held_.front().write(journal_); !written) return written;
    taken_ = true;
    fmt::print("The journal is {}. Doing it:\n", held_.front().path().string());
    const unsigned fatal = step_to_die_at();
    unsigned number = 0;
    return cards_.take([&](const std::string& command) -> Result<void> {
        fmt::print("  {}\n", command);
        std::fflush(stdout);
        if (++number == fatal) ::raise(SIGKILL);
        if (signals_->take()) return Error{EINTR, "Interrupted."};
        return {};
    });
}

int TakenCards::give_back() {
    if (!taken_) return 0;
    taken_ = false;
    fmt::print("Giving the cards back:\n");
    std::fflush(stdout);
    const int code = restore_from(held_.front(), journal_);
    signals_.reset();
    return code;
}

}  // namespace zcrxlab
