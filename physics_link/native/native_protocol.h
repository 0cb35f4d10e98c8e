// SPDX-License-Identifier: Apache-2.0
// The native protocol (docs/reference/native-protocol.md): what both links speak, and the physics side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "physics_link/connection/protocol_fault.h"
#include "physics_link/connection/simulator_codec.h"
#include "physics_link/physics_simulator.h"
#include "physics_link/scene.h"

namespace hilgate::wire::native {
class Scene;
}

namespace hilgate::native {

inline constexpr std::uint32_t kVersion = 1;

enum class Kind : std::uint8_t { kNone = 0, kHello = 1, kBegin = 2, kEnd = 3, kClose = 4 };

/// kBomb when a message has more parts than one about so many robots needs; both links ask before they parse.
[[nodiscard]] MaybeFault check_parts(std::string_view body, std::size_t robots);

/// Kind of a frame's body, without decoding it; kNone for one of another protocol.
[[nodiscard]] Kind kind_of(std::string_view body);

enum class Role : std::uint8_t { kGateway = 0, kPhysics = 1, kNetwork = 2 };

struct Hello {
  std::uint32_t version = kVersion;
  Role role = Role::kGateway;
  std::string name{};
  Nanoseconds step{0};                // gateway only
  std::vector<std::string> robots{};  // gateway only; by RobotIndex
};

void encode(const Hello& hello, std::string& body);
[[nodiscard]] MaybeFault decode(std::string_view body, Hello& hello);
/// Whether the two can talk: a fault of kUnexpected names what does not fit.
[[nodiscard]] MaybeFault check_hello(const Hello& hello, Role expected);

void encode_close(std::string_view why, std::string& body);
[[nodiscard]] MaybeFault decode_close(std::string_view body, std::string& why);

struct PhysicsBegin {
  std::uint64_t window = 0;
  SimTime start{};
  Nanoseconds length{0};
};
void encode(const PhysicsBegin& begin, std::string& body);
[[nodiscard]] MaybeFault decode(std::string_view body, PhysicsBegin& begin);

/// END of a physics simulator. `scene` may be absent: nothing moved.
void encode_physics_end(std::uint64_t window, const Scene* scene, std::string& body);
/// `robots` is how many the gateway has. Sets `has_scene`; the storage of `scene` is reused.
struct PhysicsEnd {
  std::uint64_t window = 0;
  bool has_scene = false;
};
[[nodiscard]] MaybeFault decode(std::string_view body, std::size_t robots, PhysicsEnd& end, Scene& scene);

void write_scene(const Scene& scene, wire::native::Scene& message);
[[nodiscard]] MaybeFault read_scene(const wire::native::Scene& message, std::size_t robots, Scene& scene);

}  // namespace hilgate::native

namespace hilgate {

struct NativeOptions {
  native::Hello hello{};                       // sent by this end
  native::Role peer = native::Role::kPhysics;  // what the other end must be
};

namespace native {

/// Decodes a control message: `theirs` is filled in by a hello, which must come from a `peer`.
SessionProtocol::ControlMessage read_control(std::string_view body, Role peer, Hello& theirs, MaybeFault& fault,
                                             std::string& why);
/// An END must be for the window of `step`.
MaybeFault check_window(std::uint64_t window, const Step& step);

}  // namespace native

/// Hello and close of the native protocol, for both links: `Codec` is PhysicsCodec or NetworkCodec.
template <class Codec>
class NativeSession : public Codec {
 public:
  explicit NativeSession(NativeOptions options) : options_(std::move(options)) {}

  bool hello(std::string& body) final {
    native::encode(options_.hello, body);
    return true;
  }
  SessionProtocol::ControlMessage control_message(std::string_view body, MaybeFault& fault, std::string& why) final {
    return native::read_control(body, options_.peer, theirs_, fault, why);
  }
  bool goodbye(std::string& body) final {
    native::encode_close("the run has ended", body);
    return true;
  }
  /// The other end's hello, once received.
  [[nodiscard]] const native::Hello& peer() const { return theirs_; }

 protected:
  NativeOptions options_;
  native::Hello theirs_;
  Step step_;
};

}  // namespace hilgate
