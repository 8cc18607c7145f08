// Sightings: the releases on which runs have seen a finding, and those on which they have not.
//
// They come from what runs have recorded, never from version numbers: a release that nobody has
// tried is in neither list.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/packages/version.hpp"
#include "results/matrix/matrix.hpp"
#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

struct Sightings {
    std::vector<Version> seen;      // oldest first, none twice
    std::vector<Version> not_seen;  // the same; none that is among those seen, too
};

// What the finding records, and what these matrices have of the scenarios that show it: a known
// failure that names the finding is a sighting, a passed one is the opposite.
Sightings sightings_of(const Finding& finding, std::span<const Matrix> matrices);

// "seen", "not seen" or "not tried".
std::string sighting_on(const Sightings& sightings, const Version& version);

// "Seen on 6.18.15; not seen on 7.2.12."
std::string sightings_text(const Sightings& sightings);

}  // namespace zcrxlab
