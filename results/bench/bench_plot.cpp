// Draws the plot with rectangles, lines and words only.
#include "results/bench/bench_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/base/json.hpp"
#include "harness/report/report.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kBarWidth = 18, kGroupGap = 22, kPanelHeight = 180, kPanelGap = 70;
constexpr double kLeft = 70, kTop = 50, kRight = 20, kBottom = 40;
constexpr const char* kColours[] = {"#1b6ca8", "#d9822b", "#8a8a8a", "#5a9e6f"};

struct Bar {
    size_t way = 0;
    double rate = 0, lowest = 0, highest = 0, cost = 0;
};
struct Group {
    std::string name;
    std::vector<Bar> bars;
};

double number(const Json& row, const char* column) {
    return std::max(0.0, get_or(row, column, 0.0));
}

std::string in_xml(const std::string& text) {
    std::string safe;
    for (const char c : on_one_line(text)) {
        if (c == '<') {
            safe += "&lt;";
        } else if (c == '&') {
            safe += "&amp;";
        } else {
            safe += c;
        }
    }
    return safe;
}

class Plot {
  public:
    bool read(const Json& rows) {
        for (const Json& row : rows) {
            const std::optional<std::string> way = get<std::string>(row, "way");
            if (!way) return false;
            const auto known = std::find(ways_.begin(), ways_.end(), *way);
            const auto index = static_cast<size_t>(known - ways_.begin());
            if (known == ways_.end()) ways_.push_back(*way);
            const std::string name =
                fmt::format("{:g} KiB, {:g}", number(row, "KiB"), number(row, "queues"));
            if (groups_.empty() || groups_.back().name != name) groups_.push_back({name, {}});
            groups_.back().bars.push_back({index, number(row, "Mbit/s"), number(row, "lowest"),
                                           number(row, "highest"), number(row, "receiver ns/KiB")});
            fastest_ = std::max(
                {fastest_, groups_.back().bars.back().rate, groups_.back().bars.back().highest});
            dearest_ = std::max(dearest_, groups_.back().bars.back().cost);
        }
        return !groups_.empty();
    }

    std::string draw() {
        const double step = static_cast<double>(ways_.size()) * kBarWidth + kGroupGap;
        const double width = kLeft + step * static_cast<double>(groups_.size()) + kRight;
        const double height = kTop + 2 * kPanelHeight + kPanelGap + kBottom;
        svg_ = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" "
            "viewBox=\"0 0 {0:g} {1:g}\" font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
            width, height);
        double x = kLeft;
        for (size_t way = 0; way < ways_.size(); ++way) {
            svg_ +=
                fmt::format("<rect x=\"{:g}\" y=\"10\" width=\"10\" height=\"10\" fill=\"{}\"/>\n",
                            x, colour(way));
            words(x + 14, 19, "start", ways_[way]);
            x += 40 + 7 * static_cast<double>(ways_[way].size());
        }
        const double first = kTop + kPanelHeight;
        const double second = first + kPanelGap + kPanelHeight;
        panel(first, width, fastest_, "Mbit/s: median, with lowest and highest");
        panel(second, width, dearest_, "processor time of the receiver, ns/KiB");
        for (size_t i = 0; i < groups_.size(); ++i) {
            const double left = kLeft + step * static_cast<double>(i) + kGroupGap / 2;
            for (const Bar& bar : groups_[i].bars) {
                const double at = left + static_cast<double>(bar.way) * kBarWidth;
                column(at, first, share(bar.rate, fastest_), bar.way);
                const double middle = at + kBarWidth / 2;
                line(middle, first - share(bar.lowest, fastest_), middle,
                     first - share(bar.highest, fastest_));
                column(at, second, share(bar.cost, dearest_), bar.way);
            }
            const double middle = left + (step - kGroupGap) / 2;
            words(middle, first + 14, "middle", groups_[i].name);
            words(middle, second + 14, "middle", groups_[i].name);
        }
        words(kLeft, height - 10, "start", "buffer size, number of queues");
        return svg_ + "</svg>\n";
    }

  private:
    static const char* colour(size_t way) { return kColours[way % std::size(kColours)]; }
    static double share(double value, double most) {
        return most > 0 ? value / most * kPanelHeight : 0;
    }
    void words(double x, double y, const char* anchor, const std::string& text) {
        svg_ += fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"{}\">{}</text>\n", x, y,
                            anchor, in_xml(text));
    }
    void line(double x1, double y1, double x2, double y2) {
        svg_ += fmt::format(
            "<line x1=\"{:g}\" y1=\"{:g}\" x2=\"{:g}\" y2=\"{:g}\" stroke=\"black\"/>\n", x1, y1,
            x2, y2);
    }
    void column(double x, double base, double height, size_t way) {
        svg_ += fmt::format(
            "<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" fill=\"{}\"/>\n", x,
            base - height, kBarWidth - 2, height, colour(way));
    }
    void panel(double base, double width, double most, const std::string& title) {
        words(kLeft, base - kPanelHeight - 6, "start", title);
        for (const double part : {0.0, 0.5, 1.0}) {
            const double y = base - part * kPanelHeight;
            line(kLeft - 4, y, kLeft, y);
            words(kLeft - 8, y + 4, "end", fmt::format("{:.3g}", part * most));
        }
        line(kLeft, base, width - kRight, base);
        line(kLeft, base, kLeft, base - kPanelHeight);
    }

    std::vector<std::string> ways_;
    std::vector<Group> groups_;
    double fastest_ = 0, dearest_ = 0;
    std::string svg_;
};

}  // namespace

std::string bench_plot(std::string_view text) {
    const Result<Json> json = parse_ordered_json(text);
    if (!json) return {};
    Plot plot;
    return plot.read(get_array(*json, "Receivers")) ? plot.draw() : std::string();
}

}  // namespace zcrxlab
