// Names of the environment variables that our programs read, or set for others.
//
// Examples, which are copied, and scripts have them as literals.
#pragma once

namespace zcrxlab::environment {

// ---- of a person, read on the host

// Where kernels and packages are kept; without it $XDG_CACHE_HOME/zcrxlab or ~/.cache/zcrxlab.
inline constexpr const char* kCache = "ZCRXLAB_CACHE";
// The mirror of the distribution's archive that packages come from.
inline constexpr const char* kMirror = "ZCRXLAB_MIRROR";
// The qemu-system-x86_64 to run.
inline constexpr const char* kQemu = "ZCRXLAB_QEMU";
// The folder of the lab's journals.
inline constexpr const char* kLabState = "ZCRXLAB_LAB_STATE";
// For tests of lab mode: the number of the step before which it kills itself.
inline constexpr const char* kLabDieAt = "ZCRXLAB_LAB_DIE_AT";
// How long the soak chapter takes, in seconds; passed on into the guest.
inline constexpr const char* kSoakSeconds = "ZCRXLAB_SOAK_SECONDS";

// ---- of the scenario program: what it is to run on; set by init, by lab mode, or by a person

// The kind of target, as rows of harness/nics name it.
inline constexpr const char* kTarget = "ZCRXLAB_TARGET";
// The device or socket of the NIC's control channel; empty: it has none.
inline constexpr const char* kControl = "ZCRXLAB_CONTROL";
// The interface under test and the addresses of both ends, as the kernel's selftests name them.
inline constexpr const char* kInterface = "NETIF";
inline constexpr const char* kLocalV4 = "LOCAL_V4";
inline constexpr const char* kLocalV6 = "LOCAL_V6";
inline constexpr const char* kRemoteV4 = "REMOTE_V4";
inline constexpr const char* kRemoteV6 = "REMOTE_V6";
// For the kernel's selftests: "netns", and the name of the peer's network namespace.
inline constexpr const char* kRemoteType = "REMOTE_TYPE";
inline constexpr const char* kRemoteArguments = "REMOTE_ARGS";
// The peer's interface, and the path of the network namespace that it is in.
inline constexpr const char* kPeerInterface = "ZCRXLAB_PEER_NETIF";
inline constexpr const char* kPeerNamespace = "ZCRXLAB_PEER_NETNS";
// All pairs of interfaces of a guest, one a line: "name receiver peer namespace" and four
// addresses.
inline constexpr const char* kPairs = "ZCRXLAB_PAIRS";
// The first receive queue of a real NIC that scenarios may take.
inline constexpr const char* kQueue = "ZCRXLAB_QUEUE";
// Not empty: nobody else uses the NIC, and its link may go down.
inline constexpr const char* kDisruptive = "ZCRXLAB_DISRUPTIVE";
// How many huge pages of 2 MiB the guest has set apart at its start; none if it is not there.
inline constexpr const char* kHugePages = "ZCRXLAB_HUGE_PAGES";

// ---- of the scenario program: what it is to do

// A filter of scenarios, as GoogleTest has it.
inline constexpr const char* kFilter = "ZCRXLAB_FILTER";
// "2/3": the second of three parts of the scenarios.
inline constexpr const char* kShard = "ZCRXLAB_SHARD";
// The seed of everything random.
inline constexpr const char* kSeed = "ZCRXLAB_SEED";
// By which every time bound is multiplied: 0.01 to 1000.
inline constexpr const char* kSlowness = "ZCRXLAB_SLOWNESS";
// "always": the buffers of each ifq that has delivered data are counted before its ring is closed.
inline constexpr const char* kCount = "ZCRXLAB_COUNT";
// Not empty: what needs a feature that the kernel should have, and does not have, is skipped.
inline constexpr const char* kLenient = "ZCRXLAB_LENIENT";
// A file or folder of lists of actions, which are run in place of the chapters.
inline constexpr const char* kActions = "ZCRXLAB_ACTIONS";
// Not empty: the trace of each scenario is kept whole.
inline constexpr const char* kWholeTrace = "ZCRXLAB_WHOLE_TRACE";
// "each": what the kernel has counted of its lines, and which of its mistakes it came by, is sent
// after each scenario.
inline constexpr const char* kProfiles = "ZCRXLAB_PROFILES";
// The open descriptor that records go to, in place of text on standard output.
inline constexpr const char* kRecordsFd = "ZCRXLAB_RECORDS_FD";
// "dealt": the host is asked which scenario is next; "all": nobody is asked. What the kernel's
// command line says counts more.
inline constexpr const char* kTurns = "ZCRXLAB_TURNS";

// ---- for programs of others that zcrxlab exec or lab runs, printed by zcrx-setup

// The first queue that was prepared, and all of them ("2 3").
inline constexpr const char* kQueueForProgram = "ZCRX_QUEUE";
inline constexpr const char* kQueuesForProgram = "ZCRX_QUEUES";
// The first port whose flows go there, and all of them.
inline constexpr const char* kPortForProgram = "ZCRX_PORT";
inline constexpr const char* kPortsForProgram = "ZCRX_PORTS";

}  // namespace zcrxlab::environment
