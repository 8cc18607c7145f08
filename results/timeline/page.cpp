// Timelines as one HTML page: the page of page/ with each timeline as JSON in it.
//
// Timelines are long: an item is a number of its shape (lane, thread, kind, text without numbers)
// and its numbers, and the items of each test are an element of their own, read when it is looked
// at.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "results/page/html.hpp"
#include "results/timeline/page_files.hpp"
#include "results/timeline/render.hpp"

namespace zcrxlab {

namespace {

using OrderedJson = nlohmann::ordered_json;

// Stands for a number in a text; on_one_line() has left none of these in it.
constexpr char kNumber = '\x01';

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// `text` with each number replaced, and the numbers behind `numbers`, with a space between them.
std::string without_numbers(const std::string& text, std::string& numbers) {
    std::string shape;
    for (size_t i = 0; i < text.size();) {
        size_t end = i;
        const bool hex = text.compare(i, 2, "0x") == 0;
        if (hex) end += 2;
        while (end < text.size() &&
               (is_digit(text[end]) || (hex && text[end] >= 'a' && text[end] <= 'f')))
            ++end;
        if (end == i) {
            shape += text[i++];
            continue;
        }
        if (shape.find(kNumber) != std::string::npos) numbers += ' ';
        numbers.append(text, i, end - i);
        shape += kNumber;
        i = end;
    }
    return shape;
}

OrderedJson items_of(const Timeline& timeline) {
    OrderedJson times = OrderedJson::array(), shapes = OrderedJson::array(),
                which = OrderedJson::array();
    std::map<std::tuple<uint16_t, uint16_t, ItemKind, std::string>, size_t> known;
    std::string numbers;
    int64_t before = 0;
    for (const Item& item : timeline.items) {
        times.push_back(item.at - before);
        before = item.at;
        std::string own;
        std::tuple key{item.lane, item.thread, item.kind, without_numbers(item.text, own)};
        const auto [found, added] = known.try_emplace(std::move(key), known.size());
        if (added) {
            const auto& [lane, thread, kind, text] = found->first;
            shapes.push_back({lane, thread == Item::kNoLane ? -1 : int{thread},
                              static_cast<unsigned>(kind), text});
        }
        which.push_back(found->second);
        numbers += own + "\n";
    }
    return {{"times", std::move(times)},
            {"shapes", std::move(shapes)},
            {"which", std::move(which)},
            {"numbers", std::move(numbers)}};
}

OrderedJson json_of(const AreaOwners& area, const std::map<size_t, size_t>& item_of) {
    std::map<uint32_t, size_t> used;  // buffer to its row
    for (const OwnerChange& change : area.changes) used[change.buffer];
    OrderedJson buffers = OrderedJson::array();
    for (auto& [buffer, row] : used) {
        row = buffers.size();
        buffers.push_back(buffer);
    }
    OrderedJson times = OrderedJson::array(), rows = OrderedJson::array(),
                owners = OrderedJson::array(), items = OrderedJson::array();
    int64_t before = 0;
    for (const OwnerChange& change : area.changes) {
        times.push_back(change.at - before);
        before = change.at;
        rows.push_back(used[change.buffer]);
        owners.push_back(static_cast<unsigned>(change.owner));
        const auto item = item_of.find(change.event);
        items.push_back(item == item_of.end() ? -1 : static_cast<int64_t>(item->second));
    }
    return {{"ifq", area.ifq},
            {"area", area.area},
            {"buffers", area.buffers},
            {"size", area.buffer_size},
            {"from", area.from},
            {"to", area.to},
            {"used", std::move(buffers)},
            {"times", std::move(times)},
            {"rows", std::move(rows)},
            {"owners", std::move(owners)},
            {"items", std::move(items)}};
}

OrderedJson areas_of(const Timeline& timeline) {
    std::map<size_t, size_t> item_of;  // by event
    for (size_t i = 0; i < timeline.items.size(); ++i)
        if (timeline.items[i].event != Item::kNoEvent) item_of[timeline.items[i].event] = i;
    OrderedJson areas = OrderedJson::array();
    for (const AreaOwners& area : timeline.areas) areas.push_back(json_of(area, item_of));
    return areas;
}

OrderedJson head_of(const Timeline& timeline) {
    OrderedJson lanes = OrderedJson::array(), failures = OrderedJson::array();
    for (const Lane& lane : timeline.lanes)
        lanes.push_back({static_cast<unsigned>(lane.of), lane.name});
    for (const Breach& failure : timeline.failures)
        failures.push_back({failure.item, failure.name, failure.sentence});
    return {{"name", timeline.test.empty() ? "one trace" : timeline.test},
            {"status", timeline.status ? std::string(name_of(*timeline.status)) : ""},
            {"seconds", timeline.seconds},
            {"message", timeline.message},
            {"left_out", timeline.left_out},
            {"judged", timeline.judged},
            {"lanes", std::move(lanes)},
            {"failures", std::move(failures)}};
}

}  // namespace

std::string to_page(const std::vector<Timeline>& timelines, const std::string& title,
                    const std::vector<const TestResult*>& untraced) {
    OrderedJson others = OrderedJson::array();
    for (const TestResult* test : untraced)
        others.push_back({on_one_line(test->name), name_of(test->status),
                          on_one_line(test->message.substr(0, test->message.find('\n')))});
    OrderedJson tests = OrderedJson::array(), kinds = OrderedJson::array(),
                owners = OrderedJson::array();
    for (const Timeline& timeline : timelines) tests.push_back(head_of(timeline));
    for (size_t kind = 0; kind < kItemKinds; ++kind)
        kinds.push_back(name_of(static_cast<ItemKind>(kind)));
    for (const std::string_view name : kOwnerNames) owners.push_back(name);
    const OrderedJson data = {{"title", on_one_line(title)},
                              {"kinds", std::move(kinds)},
                              {"owners", std::move(owners)},
                              {"tests", std::move(tests)},
                              {"untraced", std::move(others)}};
    std::string items;
    for (size_t i = 0; i < timelines.size(); ++i) {
        OrderedJson timeline = items_of(timelines[i]);
        timeline["areas"] = areas_of(timelines[i]);
        items += fmt::format("<script type=\"application/json\" id=\"timeline-{}\">{}</script>\n",
                             i, inside_script(timeline));
    }
    return page_of({.name = "zcrxlab trace",
                    .style = timeline_page::kCss,
                    .body = timeline_page::kHtml,
                    .data = inside_script(data),
                    .more = items,
                    .script = timeline_page::kScript});
}

}  // namespace zcrxlab
