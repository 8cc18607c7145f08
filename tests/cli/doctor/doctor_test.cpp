// Doctor's lists and its verdict.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/doctor/examination.hpp"

namespace zcrxlab {
namespace {

TEST(Doctor, PackagesOfTheList) {
    const std::string list =
        "# NAME run|test WHY\n\ncmake  run  configures\nclang  test  fuzzing\n";
    EXPECT_EQ(packages_for(list, "run"), (std::vector<std::string>{"cmake"}));
    EXPECT_EQ(packages_for(list, "test"), (std::vector<std::string>{"clang"}));
}

TEST(Doctor, MissingAreThoseNotInstalled) {
    EXPECT_EQ(missing_packages({"cmake", "clang", "g++", "make"},
                               "installed:cmake\nconfig-files:clang\ninstalled:g++-12\n"),
              (std::vector<std::string>{"clang", "g++", "make"}));
    EXPECT_TRUE(missing_packages({}, "").empty());
}

TEST(Doctor, OnlyWhatIsBadFails) {
    using Health = Diagnosis::Health;
    std::vector<Diagnosis> findings{{Health::kGood, "QEMU is there", ""},
                                    {Health::kNote, "no KVM", "modprobe kvm"}};
    EXPECT_EQ(doctor_exit_code(findings), 0);
    EXPECT_NE(doctor_text(findings).find("note  no KVM\n      modprobe kvm\n"), std::string::npos);
    EXPECT_NE(doctor_text(findings).find("can run"), std::string::npos);
    findings.push_back({Health::kBad, "no disk", "buy one"});
    EXPECT_EQ(doctor_exit_code(findings), 1);
    EXPECT_NE(doctor_text(findings).find("One thing has to be mended"), std::string::npos);
    const auto json = nlohmann::json::parse(doctor_json(findings));
    ASSERT_EQ(json.size(), 3u);
    EXPECT_EQ(json[0]["health"], "ok");
    EXPECT_EQ(json[1]["health"], "note");
    EXPECT_EQ(json[1]["cure"], "modprobe kvm");
    EXPECT_EQ(json[2]["health"], "fail");
    EXPECT_EQ(json[2]["sentence"], "no disk");
}

}  // namespace
}  // namespace zcrxlab
