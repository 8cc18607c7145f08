// Makes the list of hidden places from what is there and what was asked for.
#include "vm/hide/hidden_places.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace zcrxlab {

namespace fs = std::filesystem;

namespace {

constexpr const char* kHostKeys = "etc/ssh";

bool is_below(const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
           folder.end();
}

// Without links in it, since what they lead to is what has to be covered.
void add_if_there(std::vector<fs::path>& places, const fs::path& place) {
    std::error_code error;
    fs::path real = fs::canonical(place, error);
    if (!error) places.push_back(std::move(real));
}

// ssh_host_ed25519_key and the like, without the public halves.
void add_host_keys(std::vector<fs::path>& places, const fs::path& root) {
    std::error_code error;
    for (fs::directory_iterator it(root / kHostKeys, error), end; !error && it != end;
         it.increment(error)) {
        const std::string name = it->path().filename().string();
        if (name.starts_with("ssh_host_") && name.ends_with("_key"))
            add_if_there(places, it->path());
    }
}

std::vector<fs::path> usual_places(const HidingOrder& order) {
    std::vector<fs::path> places;
    for (const fs::path& home : order.homes)
        for (const char* place : kHiddenAtHome)
            add_if_there(places, order.root / home.relative_path() / place);
    for (const char* place : kHiddenElsewhere)
        add_if_there(places, order.root / fs::path(place).relative_path());
    add_host_keys(places, order.root);
    if (!order.as_root) add_if_there(places, order.root / "root");
    return places;
}

}  // namespace

std::vector<fs::path> homes_to_hide_in() {
    std::vector<fs::path> homes;
    const auto add = [&](const char* home) {
        // The home of a system's user may be / or /usr/bin: nothing of a person is there.
        if (home != nullptr && home[0] == '/' && home[1] != '\0') homes.emplace_back(home);
    };
    add(std::getenv("HOME"));
    if (::geteuid() != 0) {
        if (const passwd* user = ::getpwuid(::getuid())) add(user->pw_dir);
        return homes;
    }
    ::setpwent();
    while (const passwd* user = ::getpwent()) add(user->pw_dir);
    ::endpwent();
    return homes;
}

Result<std::vector<fs::path>> hidden_places(const HidingOrder& order) {
    std::vector<fs::path> places = usual_places(order);
    for (const std::string& wanted : order.hide) {
        std::error_code error;
        fs::path real = fs::canonical(wanted, error);
        if (error) return Error{ENOENT, "There is no " + wanted + ", which --hide names."};
        if (real == "/")
            return Error{EINVAL,
                         "--hide / would leave nothing; for a guest without this machine's "
                         "files, type: --packed"};
        places.push_back(std::move(real));
    }
    for (const std::string& wanted : order.show) {
        const fs::path shown = fs::weakly_canonical(wanted);
        places.erase(std::remove_if(places.begin(), places.end(),
                                    [&](const fs::path& place) { return is_below(place, shown); }),
                     places.end());
        if (const fs::path above = hidden_by(places, shown); !above.empty())
            return Error{EINVAL, wanted +
                                     " is in a hidden place, which cannot be shown in parts; "
                                     "type: --show " +
                                     above.string()};
    }
    std::sort(places.begin(), places.end());
    std::vector<fs::path> outermost;
    for (const fs::path& place : places)
        if (hidden_by(outermost, place).empty()) outermost.push_back(place);
    return outermost;
}

fs::path hidden_by(const std::vector<fs::path>& hidden, const fs::path& path) {
    for (const fs::path& place : hidden)
        if (is_below(path, place)) return place;
    return {};
}

}  // namespace zcrxlab
