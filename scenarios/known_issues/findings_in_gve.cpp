// Findings in the driver gve, and in how the kernel and it work together. No fix is known.
#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

std::vector<Finding> findings_in_gve() {
    return {
        {
            .id = "queue-zero-warns",
            .breaks = {"registration.queue-zero-is-quiet"},
            .happens =
                "asking for queue 0, which gve cannot stop, is ERANGE and a warning in the kernel "
                "log",
            .source = "net/core/dev.h:napi_assert_will_not_race in "
                      "page_pool_disable_direct_recycling",
            .seen_on = "6.18.5, 6.18.15, 7.2.6, 7.2.12, 7.3.4, gve",
            .shown_by = {{.filter = "registration.queue_zero"}},
            .rules = {{
                .tests = {"registration.queue_zero", "registration.each_step_fails"},
                .symptom = " page_pool_disable_direct_recycling+",
            }},
        },
        // Its warning is the one above, which has the rule for both.
        {
            .id = "failed-allocation-warns",
            .promised = "an allocation that fails in a registration leaves no warning",
            .happens =
                "the driver frees a page pool whose NAPI still runs, and the same warning as "
                "for queue 0 is in the kernel log",
            .source = "drivers/net/ethernet/google/gve/gve_rx_dqo.c:gve_rx_alloc_ring_dqo",
            .seen_on = "7.3.4, gve",
            .shown_by = {{.filter = "registration.each_step_fails",
                          .options = "--kernel 7.3-faults"}},
        },
        {
            .id = "refused-header-split-is-logged",
            .promised = "a setting that is refused is refused quietly",
            .happens = "a driver that refuses header split because XDP is there logs an error for "
                       "each try",
            .source = "drivers/net/ethernet/google/gve/gve_main.c:gve_set_hsplit_config",
            .seen_on = "6.18.15, gve",
            .fix = "later kernels refuse before they ask it",
            .shown_by = {{.filter = "registration.single_buffer_xdp_there/native"}},
            .rules = {{
                .tests = {"registration.single_buffer_xdp_there/native"},
                .symptom = "Header-split not supported",
            }},
        },
        {
            .id = "reset-forgets-flow-rules",
            .breaks = {"teardown.reset-keeps-rules"},
            .happens = "the driver does not give its flow rules to the device again after a reset",
            .details = "The stream goes on through queue 0, copied",
            .source = "drivers/net/ethernet/google/gve/gve_main.c:gve_reset_recovery",
            .seen_on = "7.2.12, 7.3.4, gve",
            .shown_by = {{.filter = "teardown.rules_after_reset"}},
            .rules = {{
                .tests = {"teardown.rules_after_reset"},
                .symptom = "The device reset took the flow rule away.",
            }},
        },
        {
            .id = "reset-forgets-rss-table",
            .breaks = {"teardown.reset-keeps-rss"},
            .happens = "the driver gives its device the default RSS table after a reset, so that "
                       "connections come to queues of zero-copy receive",
            .source = "drivers/net/ethernet/google/gve/gve_main.c:gve_init_rss_config",
            .seen_on = "7.2.12, 7.3.4, gve",
            .shown_by = {{.filter = "teardown.rss_after_reset"}},
            .rules = {{
                .tests = {"teardown.rss_after_reset"},
                .symptom = "The device reset took the RSS table away.",
            }},
        },
        {
            .id = "reset-loses-admin-queue",
            .breaks = {"teardown.driver-memory"},
            .happens =
                "a reset that the device has asked for loses the memory of the driver's admin "
                "queue: it is marked as gone by the reset, and then not freed since it is gone",
            .details = "Each time 8 KiB and more are lost. The device's list of DMA pools (pools "
                       "in sysfs) "
                       "still names the pool; kmemleak does once the device is gone. Unbinding and "
                       "removing "
                       "alone lose nothing",
            .source = "drivers/net/ethernet/google/gve/gve_main.c:gve_reset_and_teardown, "
                      "whose gve_adminq_release clears what gve_adminq_free asks for",
            .seen_on = "7.3.4, gve",
            .shown_by = {{.filter = "teardown.driver_memory/reset"}},
            .rules = {{
                          .tests = {"teardown.driver_memory/reset"},
                          .symptom = "The driver lost DMA pools: adminq_pool",
                      },
                      {
                          .id = "lost-admin-queue-is-unreferenced",
                          .happens = "memory of an admin queue that a reset has lost is named by "
                                     "kmemleak once its device is gone",
                          .seen_on = "7.3.4, gve, with CONFIG_DEBUG_KMEMLEAK",
                          .tests = {kAnyScenario},
                          .symptom = " gve_adminq_",
                      }},
        },
        // Its scenario runs on request only, and has failed once.
        {
            .id = "hole-behind-full-area",
            .breaks = {"exhaustion.out-of-order-holds"},
            .happens = "with an area of 256 pages, out-of-order data takes every buffer, the "
                       "retransmission finds none and is dropped; the user holds nothing, so "
                       "nothing can be "
                       "given back",
            .details =
                "The device had 0 buffers posted, before and 8 s after the faults were gone. TCP "
                "keeps no buffer for the hole, and gve's doorbell step of 32 probably strands the "
                "rest",
            .source = "not known, TCP and gve together",
            .seen_on = "7.3.4, gve (in one run)",
            .shown_by = {{.filter = "stall.small_area_out_of_order"}},
        },
    };
}

}  // namespace zcrxlab
