// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "netsim_link/link_state.h"
#include "netsim_link/network_codec.h"
#include "netsim_link/verdict.h"
#include "physics_link/connection/protocol_fault.h"
#include "physics_link/native/native_protocol.h"
#include "physics_link/scene.h"

namespace hilgate::native {

// The network side of the native protocol (docs/reference/native-protocol.md).

struct NetworkBegin {
  std::uint64_t window = 0;
  SimTime start{};
  Nanoseconds length{0};
};
/// `scene` may be null: nothing moved since the last one.
void encode(const NetworkBegin& begin, const Scene* scene, std::span<const CapturedPacket> packets, std::string& body);
/// For the simulator's side. `scene` is changed only when the message has one; then `has_scene` is set.
[[nodiscard]] MaybeFault decode(std::string_view body, std::size_t robots, NetworkBegin& begin, bool& has_scene,
                                Scene& scene, std::vector<CapturedPacket>& packets);

/// State of one link as a simulator sends it.
struct LinkUpdate {
  RobotIndex sender{};
  RobotIndex receiver{};
  LinkState state{};
};

struct NetworkEnd {
  std::uint64_t window = 0;
  std::vector<Verdict> verdicts{};
  std::vector<std::uint64_t> forget{};
  std::vector<LinkUpdate> links{};
};
void encode(const NetworkEnd& end, std::string& body);
/// Robot numbers from `robots` on are a fault of kBadValue; those entries are left out.
[[nodiscard]] MaybeFault decode(std::string_view body, std::size_t robots, NetworkEnd& end);

}  // namespace hilgate::native

namespace hilgate {

/// The network side of the native protocol. The simulator's end learns the number of robots from the hello.
class NativeNetworkCodec final : public NativeSession<NetworkCodec> {
 public:
  using NativeSession<NetworkCodec>::NativeSession;

  void encode_begin(const NetworkQuestion& question, std::string& body) override;
  MaybeFault decode_end(std::string_view body, NetworkAnswer& answer) override;
  MaybeFault decode_begin(std::string_view body, ReceivedNetworkQuestion& question) override;
  void encode_end(const NetworkAnswer& answer, std::string& body) override;

 private:
  void apply_links(NetworkAnswer& answer);

  native::NetworkEnd end_;
  std::vector<LinkState> links_;  // gateway's end: all states; an END carries the changes
};

}  // namespace hilgate
