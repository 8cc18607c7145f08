// The median of measured values, and as many digits of it as mean something.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace zcrxlab {

// Of at least one value.
inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const size_t middle = values.size() / 2;
    return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

inline double with_digits(double value, int behind_the_point) {
    const double unit = std::pow(10, behind_the_point);
    return std::round(value * unit) / unit;
}

}  // namespace zcrxlab
