// The rings and buffers of each way.
#include "scenarios/framework/streams/receiving_end.hpp"

#include <liburing.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <utility>
#include <vector>

#include "harness/base/mapping.hpp"
#include "harness/ring/ifq.hpp"
#include "harness/ring/ring.hpp"

namespace zcrxlab {
namespace {

constexpr uint16_t kGroup = 7;

// Buffers that the kernel picks from (IORING_REGISTER_PBUF_RING).
class BufferRing {
  public:
    BufferRing(Scene& scene, Ring& ring, uint32_t size)
        : size_(size),
          count_(static_cast<uint32_t>(kEndBytes / size)),
          buffers_(scene.must(Mapping::map(kEndBytes, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE))),
          entries_(scene.must(Mapping::map(count_ * sizeof(io_uring_buf), PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE))) {
        io_uring_buf_reg registration{};
        registration.ring_addr = reinterpret_cast<uint64_t>(entries_.data());
        registration.ring_entries = count_;
        registration.bgid = kGroup;
        if (const int failed = ring.register_raw(IORING_REGISTER_PBUF_RING, &registration, 1);
            failed != 0)
            scene.give_up(error_from_errno("register a buffer ring", -failed).sentence);
        for (uint32_t id = 0; id < count_; ++id) put(static_cast<uint16_t>(id));
        show();
    }

    void put(uint16_t id) {
        // The tail lies inside the first entry, where that has nothing else.
        io_uring_buf& entry =
            reinterpret_cast<io_uring_buf*>(entries_.data())[tail_++ & (count_ - 1)];
        entry.addr = reinterpret_cast<uint64_t>(buffers_.data()) + uint64_t{id} * size_;
        entry.len = size_;
        entry.bid = id;
    }
    // The kernel may take them from here on.
    void show() { __atomic_store_n(&ring()->tail, tail_, __ATOMIC_RELEASE); }

  private:
    io_uring_buf_ring* ring() { return reinterpret_cast<io_uring_buf_ring*>(entries_.data()); }

    uint32_t size_, count_;
    Mapping buffers_, entries_;
    uint16_t tail_ = 0;
};

class PlainEnd : public ReceivingEnd {
  public:
    explicit PlainEnd(uint32_t size) : buffer_(size) {}
    uint64_t receive(int socket) override {
        uint64_t total = 0;
        for (ssize_t got = 0; (got = ::recv(socket, buffer_.data(), buffer_.size(), 0)) > 0;)
            total += static_cast<uint64_t>(got);
        return total;
    }

  private:
    std::vector<std::byte> buffer_;
};

class BufferRingEnd : public ReceivingEnd {
  public:
    BufferRingEnd(Scene& scene, uint32_t size)
        : scene_(scene), ring_(scene.must(Ring::create())), buffers_(scene, ring_, size) {}

    uint64_t receive(int socket) override {
        uint64_t total = 0;
        std::vector<Completion> batch;
        for (bool armed = false;;) {
            if (!armed) arm(socket);
            armed = true;
            if (!scene_.must(ring_.wait(scene_.time_left()))) return total;
            batch.clear();
            ring_.reap(batch);
            for (const Completion& completion : batch) {
                if (completion.result > 0) {
                    total += static_cast<uint32_t>(completion.result);
                    buffers_.put(
                        static_cast<uint16_t>(completion.flags >> IORING_CQE_BUFFER_SHIFT));
                }
                if ((completion.flags & IORING_CQE_F_MORE) == 0) armed = false;
                if (completion.result == 0) return total;
                if (completion.result < 0 && completion.result != -ENOBUFS) return total;
            }
            buffers_.show();
        }
    }

  private:
    void arm(int socket) {
        io_uring_sqe* entry = scene_.must(ring_.next_sqe());
        entry->opcode = IORING_OP_RECV;
        entry->fd = socket;
        entry->ioprio = IORING_RECV_MULTISHOT;
        entry->flags = IOSQE_BUFFER_SELECT;
        entry->buf_group = kGroup;
    }

    Scene& scene_;
    Ring ring_;
    BufferRing buffers_;
};

IfqOptions ifq_options(Scene& scene, uint32_t size, uint32_t queue) {
    IfqOptions options;
    options.number = scene.next_ifq();
    options.interface = scene.endpoints().interface;
    options.queue = queue;
    options.area_size = kEndBytes;
    // 0 is what the driver has by itself, and a page is what that is: some refuse the number.
    options.buffer_length = size == 4096 ? 0 : size;
    return options;
}

class ZeroCopyEnd : public ReceivingEnd {
  public:
    ZeroCopyEnd(Scene& scene, uint32_t size, uint32_t queue)
        : scene_(scene),
          ring_(scene.must(Ring::create())),
          ifq_(scene.must(Ifq::open(ring_, ifq_options(scene, size, queue)))) {}

    uint64_t receive(int socket) override {
        uint64_t total = 0;
        arm(socket);
        for (;;) {
            if (!scene_.must(ring_.wait(scene_.time_left()))) return total;
            batch_.clear();
            ring_.reap(batch_);
            for (const Completion& completion : batch_) {
                if ((completion.flags & uapi::kCqeMore) != 0) {
                    const auto length = static_cast<uint32_t>(completion.result);
                    total += ifq_->payload(completion.offset, length).size();
                    give_back(completion.offset, length);
                } else if (completion.result == -ENOSPC || completion.result == -ENOMEM) {
                    show_returned();
                    // Copies find only what the kernel has taken from the refill ring.
                    if (completion.result == -ENOMEM) (void)ifq_->flush();
                    arm(socket);
                } else {
                    show_returned();
                    return total;
                }
            }
            show_returned();
        }
    }

  private:
    void arm(int socket) {
        io_uring_sqe* entry = scene_.must(ring_.next_sqe());
        entry->opcode = uapi::kOpRecvZc;
        entry->fd = socket;
        entry->ioprio = uapi::kRecvMultishot;
        entry->splice_fd_in = static_cast<int32_t>(ifq_->zcrx_id());  // zcrx_ifq_idx
    }

    // The kernel looks at the refill ring only when it runs out of buffers: with small pieces it
    // can be full.
    void give_back(uint64_t offset, uint32_t length) {
        if (!ifq_->refill().push(offset, length)) waiting_.emplace_back(offset, length);
    }
    void show_returned() {
        while (!waiting_.empty() &&
               ifq_->refill().push(waiting_.back().first, waiting_.back().second))
            waiting_.pop_back();
        ifq_->refill().publish();
    }

    Scene& scene_;
    Ring ring_;
    std::unique_ptr<Ifq> ifq_;
    std::vector<Completion> batch_;
    std::vector<std::pair<uint64_t, uint32_t>> waiting_;  // to go back: CQE offset, bytes
};

}  // namespace

const char* name_of(Way way) {
    switch (way) {
        case Way::kZeroCopy:
            return "RECV_ZC";
        case Way::kBufferRing:
            return "recv, buffer ring";
        case Way::kPlain:
            return "recv()";
    }
    return "";
}

std::unique_ptr<ReceivingEnd> make_end(Scene& scene, Way way, uint32_t size, uint32_t queue) {
    switch (way) {
        case Way::kZeroCopy:
            return std::make_unique<ZeroCopyEnd>(scene, size, queue);
        case Way::kBufferRing:
            return std::make_unique<BufferRingEnd>(scene, size);
        case Way::kPlain:
            return std::make_unique<PlainEnd>(size);
    }
    return nullptr;
}

bool zero_copy_takes(Scene& scene, uint32_t size, uint32_t queue) {
    Ring ring = scene.must(Ring::create());
    return Ifq::open(ring, ifq_options(scene, size, queue)).ok();
}

}  // namespace zcrxlab
