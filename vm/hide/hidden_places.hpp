// Hidden places: where keys and tokens usually lie, which no guest is shown unless somebody asks.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

// Below each home folder.
inline constexpr const char* kHiddenAtHome[] = {
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".config/gh",
    ".config/gcloud",
    ".config/hub",
    ".config/rclone",
    ".config/git/credentials",
    ".kube",
    ".docker",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".vault-token",
    ".password-store",
    ".local/share/keyrings",
    ".mozilla",
    ".config/chromium",
    ".config/google-chrome",
    ".m2/settings.xml",
    ".gem/credentials",
    ".cargo/credentials.toml",
};
// Elsewhere; only root can read most of them.
inline constexpr const char* kHiddenElsewhere[] = {
    "/etc/shadow",      "/etc/shadow-",
    "/etc/gshadow",     "/etc/gshadow-",
    "/etc/ssl/private", "/etc/krb5.keytab",
    "/etc/wireguard",   "/etc/NetworkManager/system-connections",
};

struct HidingOrder {
    std::filesystem::path root = "/";          // the machine's; another one for tests
    std::vector<std::filesystem::path> homes;  // absolute, as on that machine
    bool as_root = false;                      // else all of /root is hidden, too
    std::vector<std::string> hide;             // more places
    std::vector<std::string> show;             // with all that is hidden below them
};

// The homes whose owners' files we can read: that of $HOME, and as root those of all users.
std::vector<std::filesystem::path> homes_to_hide_in();

// The places that are there, without links in them, each once, none below another one. ENOENT for
// one of `hide` that is not there; EINVAL for one of `show` that is below a hidden one.
Result<std::vector<std::filesystem::path>> hidden_places(const HidingOrder& order);

// The one of `hidden` that `path` is, or is below; empty if there is none.
std::filesystem::path hidden_by(const std::vector<std::filesystem::path>& hidden,
                                const std::filesystem::path& path);

}  // namespace zcrxlab
