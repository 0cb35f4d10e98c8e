// SPDX-License-Identifier: Apache-2.0
// The memory that AF_XDP frames live in: one area of equal chunks for all ports, and the owner of each chunk.
//
// A frame is a chain of chunks; the first names it (BufferId: the chunk's address in the area). Every chunk counts its
// owners, because multicast sends the same chunk to several ports. Free chunks are a stack: the one freed last is the
// warmest in the cache. Satisfies FramePool. One thread at a time; nothing allocates after the constructor.
//
// Where several cores move frames, each has a Umem over the same area with chunks of its own to give out. A chunk that
// another core frees goes home over a ring, so that no core runs dry because frames flow one way.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frame/frame.h"
#include "frame/spsc_ring.h"

namespace hilgate {

struct UmemConfig {
  std::uint32_t chunks = 65536;
  std::uint32_t chunk_size = 2048;  // 2048 or 4096: the sizes the kernel takes
};

class Umem {
 public:
  /// The kernel keeps these bytes in front of what it receives, for XDP metadata (XDP_PACKET_HEADROOM in linux/bpf.h).
  static constexpr std::uint32_t kHeadroom = 256;
  /// Of these, bytes directly in front of a frame that the kernel may use on its way out (xdp/release_stamps.h).
  static constexpr std::uint32_t kTransmitNote = 40;
  /// A frame begins at least so far from the start of its chunk; the kernel refuses to send others (tx_invalid).
  static constexpr std::uint32_t kLeastOffset = kNoteBytes + kTransmitNote;
  /// Segments a frame may have: the kernel sends at most this many buffers as one frame (MAX_SKB_FRAGS).
  static constexpr std::uint32_t kMaxSegments = 17;

  /// Takes huge pages where there are enough, else normal ones. Throws std::runtime_error when the sizes are wrong or
  /// memory is short.
  explicit Umem(const UmemConfig& config);
  /// One Umem for each of `cores` over an area they share; each gives out an equal part of the chunks. Throws likewise.
  static std::vector<std::unique_ptr<Umem>> over_cores(const UmemConfig& config, std::size_t cores);
  ~Umem() = default;
  Umem(const Umem&) = delete;
  Umem& operator=(const Umem&) = delete;

  // FramePool: see frame/frame.h.
  void share(const Frame& frame, std::uint32_t owners);
  void free(const Frame& frame);
  [[nodiscard]] bool is_shared(const Frame& frame) const { return is_shared(frame.buffer); }
  [[nodiscard]] std::optional<Frame> copy(const Frame& frame);
  [[nodiscard]] std::optional<Frame> make(std::span<const std::byte> bytes);
  [[nodiscard]] bool move_start(Frame& frame, int by);
  template <class Each>
  void for_each_segment(const Frame& frame, Each&& each);
  /// Whether the port that captured the frame holds at most four times as many chunks as are free: one alone may hold
  /// four fifths of the memory, and however many do, some is left for every other (A. K. Choudhury, E. L. Hahne, 1998).
  [[nodiscard]] bool within_share(const Frame& frame);
  /// The first of the headroom, which the kernel uses from its end.
  [[nodiscard]] std::byte* note(const Frame& frame) { return area_ + frame.buffer; }
  void fetch(const Frame& frame) const {
    __builtin_prefetch(frame.data, 0, 2);
    __builtin_prefetch(&chunks_[index(frame.buffer)], 0, 2);
  }

  // For ports: single chunks, by the address of any byte in them.

  /// Takes up to `addresses.size()` free chunks; returns how many. Each has one owner.
  std::size_t allocate(std::span<std::uint64_t> addresses);
  /// Notes that the kernel has this chunk, from `port`, until set_segment returns it.
  void lend(std::uint64_t address, std::uint16_t port) { chunks_[index(address)].lent_to = port; }
  /// Frees the chunks still lent to `port`, whose sockets are closed: those among `count` from `first` on. Returns
  /// where to continue, config().chunks at the end.
  std::uint32_t take_back(std::uint16_t port, std::uint32_t first, std::uint32_t count);
  /// A number for lend(), new each time, never 0.
  std::uint16_t add_port();
  /// Whether the chunk has several owners.
  [[nodiscard]] bool is_shared(std::uint64_t address) const {
    return owners(index(address)).load(std::memory_order_acquire) > 1;
  }
  /// Gives up one ownership of one chunk.
  void free_chunk(std::uint64_t address);
  /// What a received or copied chunk holds, and that it starts a chain of one. Until it is freed, a received one counts
  /// as held by its port.
  void set_segment(std::uint64_t address, std::uint32_t length);
  /// Appends `address`, set before, to the chain whose last chunk is `last`.
  void link_segments(std::uint64_t last, std::uint64_t address) { chunks_[index(last)].next = index(address); }

  [[nodiscard]] std::byte* data(std::uint64_t address) { return area_ + address; }
  [[nodiscard]] std::uint64_t address(const std::byte* data) const { return static_cast<std::uint64_t>(data - area_); }
  /// The address of the chunk that `address` lies in.
  [[nodiscard]] BufferId buffer(std::uint64_t address) const {
    return address & ~((std::uint64_t{1} << chunk_shift_) - 1);
  }

  [[nodiscard]] const UmemConfig& config() const { return shared_->config; }
  [[nodiscard]] std::span<std::byte> area() { return {area_, area_bytes()}; }
  /// Chunks that this core gives out, free or not.
  [[nodiscard]] std::uint32_t own_chunks() const { return static_cast<std::uint32_t>(free_.capacity()); }
  [[nodiscard]] std::uint32_t available() const { return static_cast<std::uint32_t>(free_.size()); }
  /// Bytes of payload that fit into one chunk on arrival.
  [[nodiscard]] std::uint32_t segment_capacity() const { return (1U << chunk_shift_) - kHeadroom; }
  /// All the memory that the area, its books and this core's stack take, in bytes.
  [[nodiscard]] std::size_t memory_bytes() const;
  [[nodiscard]] bool huge_pages() const { return shared_->huge_pages; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Chunk {
    std::uint32_t next = kNone;  // the frame's next chunk
    std::uint16_t owners = 0;
    std::uint16_t offset = 0;   // of the first byte in use
    std::uint16_t length = 0;   // bytes in use
    std::uint16_t lent_to = 0;  // the port that gave it to the kernel to receive into; 0: none. With kCaptured: did
  };

  static constexpr std::uint16_t kCaptured = 0x8000;
  static constexpr std::size_t kPorts = 4096;

  [[nodiscard]] std::uint32_t index(std::uint64_t address) const {
    return static_cast<std::uint32_t>(address >> chunk_shift_);
  }
  // An area with its books, and the ways home of chunks.
  struct Shared {
    Shared(const UmemConfig& wanted, std::size_t cores);
    ~Shared();
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    [[nodiscard]] std::size_t bytes() const { return std::size_t{config.chunks} * config.chunk_size; }

    UmemConfig config;
    std::size_t cores;
    std::uint32_t part;  // chunks of each core; the last has what is left over, too
    bool huge_pages = false;
    std::uint16_t ports = 0;
    std::vector<std::uint32_t> held = std::vector<std::uint32_t>(kPorts);  // chunks, by port; see count_held()
    std::byte* area = nullptr;
    std::vector<Chunk> chunks;
    std::vector<std::unique_ptr<SpscRing<std::uint32_t>>> homeward;  // from core * cores + to core
  };
  Umem(std::shared_ptr<Shared> shared, std::size_t core);

  [[nodiscard]] std::size_t area_bytes() const { return shared_->bytes(); }
  // Written by the thread that frees the chunk, on any core.
  [[nodiscard]] std::atomic_ref<std::uint16_t> lent_to(std::uint32_t chunk) const {
    return std::atomic_ref<std::uint16_t>(chunks_[chunk].lent_to);
  }
  // Only the one owner of a chunk may add owners, so a count of 1 is not about to change.
  [[nodiscard]] std::atomic_ref<std::uint16_t> owners(std::uint32_t chunk) const {
    return std::atomic_ref<std::uint16_t>(chunks_[chunk].owners);
  }
  [[nodiscard]] std::size_t home_of(std::uint32_t chunk) const {
    return std::min<std::size_t>(chunk / shared_->part, shared_->cores - 1);
  }
  void count_held(std::uint16_t port, std::int32_t more);
  void collect();
  [[nodiscard]] std::optional<std::uint32_t> copy_chunk(std::uint32_t from);
  void free_index(std::uint32_t chunk);

  std::shared_ptr<Shared> shared_;
  std::size_t core_;
  std::uint32_t chunk_shift_;
  std::byte* area_;
  Chunk* chunks_;
  std::vector<std::uint32_t> free_;
};
static_assert(Umem::kLeastOffset < Umem::kHeadroom);

template <class Each>
void Umem::for_each_segment(const Frame& frame, Each&& each) {
  each(std::span<std::byte>{frame.data, frame.head_length});
  for (std::uint32_t at = chunks_[index(frame.buffer)].next; at != kNone; at = chunks_[at].next) {
    const Chunk& chunk = chunks_[at];
    each(std::span<std::byte>{area_ + (std::uint64_t{at} << chunk_shift_) + chunk.offset, chunk.length});
  }
}

static_assert(FramePool<Umem>);

}  // namespace hilgate
