// Framed records: what guest and host tell each other over virtio-serial.
//
// A record is a RecordHeader followed by `length` bytes: of JSON (UTF-8, one object), or raw where
// the type says so. A reader that meets anything else stops; the host then calls the guest LOST.
// The guest of a run that is dealt reads no records: it is answered each kTurn with a line, the
// name of a test of the plan, or an empty one if there is none left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/endian.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

enum class RecordType : uint16_t {
    kHello = 1,  // {"kernel": release, "seconds": uptime}; the guest runs
    // {"tests": [name ...], "seed": n, "slowness": by which every time bound was multiplied,
    // "features": {name: bool ...}}; before the first test. If the
    // host deals them out: "dealt": true, "unfit": [those that can only be skipped here], and for
    // each test "bounds": [in how many seconds it has to end], "cpus": [how many it needs]
    kPlan = 2,
    kTestStarted = 3,  // {"name"}
    kTestEnded = 4,    // {"name", "status": passed|failed|known|skipped, "seconds", "message",
                       //  "reference" (known only), "trace": lines around a failure}
    kTrace = 5,        // {"test", "events": [Event as JSON ...]}; any number per test
    kKernelLog = 6,    // {"lines": [text ...]}
    kNotice = 7,       // {"text"}: for people, shown with -v
    kBench = 8,        // {"table": name, "rows": [...]}: a result of `zcrxlab bench`
    kProfile = 10,     // {"object": "io_uring/zcrx.gcda", "hex": bytes}: what a kernel that counts
                       //  its lines has counted; with "test": until the end of that one, "" being
                       //  before the first. "object" may be one of for_each_reached()
    kTurn = 11,    // {"harmed": the one before neither passed nor was skipped}: which test is next?
    kDone = 9,     // {"exit": code}; the last record, the guest powers off after it
    kOutput = 12,  // raw: a RecordStream, then what the program wrote there
    kProgram = 13,  // {"event": "started" | "ended" ...}: of the program with streams
    // From the host, all of them raw.
    kInput = 20,        // for the program's standard input; empty: its end
    kSignal = 21,       // one byte: a signal for the program
    kWindow = 22,       // "ROWS COLUMNS" of the person's terminal
    kEnvironment = 23,  // "NAME=VALUE" each ended by a zero byte; the program waits for it
    kTimeUp = 24,       // empty: the program is to be killed
};

// Where output comes from: the first byte of a kOutput record.
enum class RecordStream : char { kOutput = '1', kError = '2', kPeer = '3' };

struct __attribute__((packed)) RecordHeader {
    Le32 magic;     // kRecordMagic
    Le16 type;      // RecordType
    Le16 reserved;  // 0
    Le32 length;    // bytes of JSON that follow, at most kRecordMaximum
    Le32 checksum;  // CRC-32 (IEEE, reflected) of the JSON
};
static_assert(sizeof(RecordHeader) == 16);

inline constexpr uint32_t kRecordMagic = 0x42414c5a;  // "ZLAB"
inline constexpr uint32_t kRecordMaximum = 4U << 20;

struct Record {
    RecordType type;
    std::string json;  // or the raw bytes
};

// CRC-32 (IEEE, reflected) of `bytes`: 0xcbf43926 for "123456789".
uint32_t crc32(std::span<const std::byte> bytes);

// The bytes of one record. JSON longer than kRecordMaximum is not sent: a kNotice that says so
// takes its place, so whoever writes long lists splits them.
std::vector<std::byte> encode_record(RecordType type, std::string_view json);

// Cuts a byte stream into records.
class RecordReader {
  public:
    // Adds bytes as they arrived.
    void feed(std::span<const std::byte> bytes);
    // The next whole record; nothing while one is incomplete; EPROTO with a sentence on a wrong
    // magic, length or checksum, after which the reader stays in that state.
    Result<std::optional<Record>> next();

  private:
    Error break_with(std::string sentence);

    std::vector<std::byte> buffer_;
    size_t start_ = 0;
    std::optional<Error> broken_;
};

}  // namespace zcrxlab
