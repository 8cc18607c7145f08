// The picture has a bar for each measurement, as tall as it says, and nonsense makes none.
#include "results/bench/bench_plot.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zcrxlab {
namespace {

size_t count(const std::string& text, const std::string& part) {
    size_t number = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++number;
    return number;
}

TEST(BenchPlot, ABarForEachMeasurement) {
    const std::string svg = bench_plot(
        R"({"Receivers":[
            {"way":"RECV_ZC","KiB":4,"queues":1,"Mbit/s":100,"lowest":90,"highest":120,"receiver ns/KiB":50},
            {"way":"recv() <&","KiB":4,"queues":1,"Mbit/s":60,"lowest":50,"highest":60,"receiver ns/KiB":200},
            {"way":"RECV_ZC","KiB":16,"queues":2,"Mbit/s":30,"lowest":30,"highest":30,"receiver ns/KiB":100}]})");
    EXPECT_EQ(svg.find("<svg "), 0U);
    EXPECT_NE(svg.find("</svg>"), std::string::npos);
    // The ground, two for what the colours mean, and two for each measurement.
    EXPECT_EQ(count(svg, "<rect "), 1 + 2 + 2 * 3U);
    EXPECT_EQ(count(svg, "4 KiB, 1<"), 2U);
    EXPECT_EQ(count(svg, "16 KiB, 2<"), 2U);
    EXPECT_EQ(count(svg, "recv() &lt;&amp;<"), 1U);
    // Of 180: 100 of 120, and 50 of 200.
    EXPECT_EQ(count(svg, "height=\"150\""), 1U);
    EXPECT_EQ(count(svg, "height=\"45\""), 2U);  // 30 of 120 is as tall
}

TEST(BenchPlot, NothingOfNonsense) {
    for (const char* text : {"", "{}", "[]", R"({"Receivers":{}})", R"({"Receivers":[]})",
                             R"({"Receivers":[1]})", R"({"Receivers":[{"way":1}]})"})
        EXPECT_EQ(bench_plot(text), "") << text;
    // Without numbers there are bars of no height.
    EXPECT_EQ(count(bench_plot(R"({"Receivers":[{"way":"a","Mbit/s":"x"}]})"), "height=\"0\""), 2U);
}

}  // namespace
}  // namespace zcrxlab
