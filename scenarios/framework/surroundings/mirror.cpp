// The queueing discipline clsact with one filter.
#include "scenarios/framework/surroundings/mirror.hpp"

#include <linux/if_ether.h>
#include <linux/netlink.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_mirred.h>
#include <net/if.h>
#include <netinet/in.h>

#include <cerrno>
#include <utility>

#include "harness/net/netlink_socket.hpp"

namespace zcrxlab {
namespace {

constexpr uint32_t kIngress = TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS);
constexpr uint32_t kPriority = 1;

NetlinkRequest tc_request(uint16_t type, uint16_t flags, const tcmsg& about) {
    NetlinkRequest request(type, flags);
    request.fixed_value(about);
    return request;
}

Result<void> call_once(NetlinkRequest request, const char* doing) {
    auto socket = NetlinkSocket::open(NETLINK_ROUTE);
    if (!socket) return socket.error();
    auto answer = socket->call(std::move(request), doing);
    return answer ? Result<void>() : answer.error();
}

tcmsg about_clsact(int interface) {
    tcmsg about{};
    about.tcm_family = AF_UNSPEC;
    about.tcm_ifindex = interface;
    about.tcm_handle = TC_H_MAKE(TC_H_CLSACT, 0);
    about.tcm_parent = TC_H_CLSACT;
    return about;
}

Result<void> add_clsact(int interface) {
    auto request = tc_request(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, about_clsact(interface));
    request.put_string(TCA_KIND, "clsact");
    return call_once(std::move(request), "add clsact");
}

Result<void> remove_clsact(int interface) {
    return call_once(tc_request(RTM_DELQDISC, 0, about_clsact(interface)), "remove clsact");
}

Result<void> add_filter(int interface, const MirrorPlan& plan) {
    tcmsg about{};
    about.tcm_family = AF_UNSPEC;
    about.tcm_ifindex = interface;
    about.tcm_parent = kIngress;
    about.tcm_info = TC_H_MAKE(kPriority << 16, htons(ETH_P_IP));
    tc_mirred mirred{};
    mirred.action = plan.redirect ? TC_ACT_STOLEN : TC_ACT_PIPE;
    mirred.eaction = plan.redirect ? (plan.in ? TCA_INGRESS_REDIR : TCA_EGRESS_REDIR)
                                   : (plan.in ? TCA_INGRESS_MIRROR : TCA_EGRESS_MIRROR);
    mirred.ifindex = if_nametoindex(plan.target.c_str());
    auto request = tc_request(RTM_NEWTFILTER, NLM_F_CREATE | NLM_F_EXCL, about);
    request.put_string(TCA_KIND, "matchall")
        .begin(TCA_OPTIONS)
        .begin(TCA_MATCHALL_ACT)
        .begin(1)  // the first action
        .put_string(TCA_ACT_KIND, "mirred")
        .begin(TCA_ACT_OPTIONS)
        .put_value(TCA_MIRRED_PARMS, mirred)
        .end()
        .end()
        .end()
        // The NIC itself is not to do it.
        .put_u32(TCA_MATCHALL_FLAGS, TCA_CLS_FLAGS_SKIP_HW)
        .end();
    return call_once(std::move(request), "add a filter that mirrors");
}

// Without the module of a discipline, a filter or an action.
bool says_missing(const Result<void>& done) {
    return !done && (done.error().code == ENOENT || done.error().code == EOPNOTSUPP);
}

}  // namespace

std::unique_ptr<Mirror> Mirror::add(Scene& scene, const MirrorPlan& plan) {
    const auto interface = static_cast<int>(if_nametoindex(scene.endpoints().interface.c_str()));
    const Result<void> added = add_clsact(interface);
    if (says_missing(added)) return nullptr;
    scene.must(added);
    auto there = std::make_shared<bool>(true);
    scene.undo_later("clsact", [there, interface] {
        return std::exchange(*there, false) ? remove_clsact(interface) : Result<void>();
    });
    std::unique_ptr<Mirror> mirror(new Mirror(scene, interface, std::move(there)));
    const Result<void> filtered = add_filter(interface, plan);
    if (says_missing(filtered)) return nullptr;
    scene.must(filtered);
    return mirror;
}

Mirror::~Mirror() {
    if (std::exchange(*there_, false)) scene_.must(remove_clsact(interface_));
}

}  // namespace zcrxlab
