// CRegistration: writes initializers, and assignments to fields of the structures.
#include "lists/to_c/c_registration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "lists/verbs/row/c_writer.hpp"

namespace zcrxlab {

std::string memory_constant(const Action& action) {
    const std::string memory = action.word("memory");
    return memory == "repeated" ? "MEMFD" : in_capitals(memory);
}

bool wants_huge_pages(const Action& action) {
    const std::string memory = action.word("memory");
    return memory.starts_with("huge") || memory == "transparent";
}

std::string registration_options(const Action& action) {
    const bool repeated = action.word("memory") == "repeated";
    const uint64_t repeat = repeated ? (action.number("repeat") + 4095) / 4096 * 4096 : 0;
    uint64_t area = action.number("area");
    if (repeated) area = (std::max<uint64_t>(area, 1) + repeat - 1) / repeat * repeat;
    std::string options = fmt::format(".area = {}", area);
    const auto add = [&options](bool there, const std::string& text) {
        if (there) options += ", " + text;
    };
    add(repeated, fmt::format(".repeat = {}", repeat));
    add(action.number("rq") != 0, fmt::format(".rq = {}", action.number("rq")));
    add(action.number("rx_buf_len") != 0,
        fmt::format(".rx_buf_len = {}", action.number("rx_buf_len")));
    const std::string events = action.word("events");
    add(events != "none", std::string(".events = ") + (events == "alloc_fail" ? "1"
                                                       : events == "copy"     ? "2"
                                                                              : "3"));
    add(action.yes("stats"), ".stats = 1");
    const std::string memory = memory_constant(action);
    add(memory != "ANONYMOUS", ".memory = " + memory);
    add(action.has("reg.arg"),
        fmt::format(".other_argument = 1, .argument = 0x{:x}", action.number("reg.arg")));
    add(action.has("reg.count"),
        fmt::format(".other_count = 1, .count = {}", action.number("reg.count")));
    add(action.yes("device"), ".device = 1");
    add(action.word("rq_memory") == "kernel", ".kernel_rq = 1");
    add(action.yes("dirty"), ".dirty = 1");
    add(action.expected() != 0, ".expected = " + errno_text(action.expected()));
    return options;
}

std::string bend_name(const Action& action) {
    return "bend_" + action.name;
}

std::string bend_function(const Action& action) {
    std::string body;
    for (const Argument& argument : action.arguments) {
        const std::string_view name = argument.parameter->name;
        const size_t dot = name.find('.');
        if (dot == std::string_view::npos || name == "reg.arg" || name == "reg.count") continue;
        static const std::map<std::string_view, std::string_view> kFields = {
            {"reg.resv", "reg->resv[0]"},          {"reg.resv1", "reg->resv[1]"},
            {"area.resv1", "area->resv[1]"},       {"region.addr", "region->user_addr"},
            {"event.resv", "event->resv[8]"},      {"area.offset", "area->addr"},
            {"area.token", "area->rq_area_token"}, {"area.resv", "area->resv[0]"}};
        std::string field(name);
        field.replace(dot, 1, "->");
        if (const auto found = kFields.find(name); found != kFields.end()) field = found->second;
        body += fmt::format("\t{} {}= 0x{:x};\n", field, name == "area.offset" ? "+" : "",
                            argument.numbers.front());
    }
    if (body.empty()) return {};
    return fmt::format(
        "\nstatic void {0}(struct zcrx_ifq_reg *reg, struct zcrx_area_reg *area,\n"
        "\t\t\tstruct region_desc *region, struct zcrx_event_desc *event)\n{{\n\t(void)reg;\n"
        "\t(void)area;\n\t(void)region;\n\t(void)event;\n"
        "{1}}}\n",
        bend_name(action), body);
}

}  // namespace zcrxlab
