// SPDX-License-Identifier: Apache-2.0
// What a run is in Foxglove: the channels of its websocket protocol, in JSON, and their messages from the status of a
// run. Schemas are those of Foxglove, FrameTransforms, SceneUpdate and Log, with the members that messages have, and
// one of the gateway's own for links.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"

namespace hilgate {

enum class FoxgloveTopic : std::uint8_t { kTransforms, kScene, kLinks, kConditions, kCount };
inline constexpr std::size_t kFoxgloveTopics = static_cast<std::size_t>(FoxgloveTopic::kCount);

/// A channel's id is its FoxgloveTopic and 1.
struct FoxgloveChannel {
  std::string_view topic, schema_name;
  std::string schema;  // JSON schema
};

/// By FoxgloveTopic.
const std::array<FoxgloveChannel, kFoxgloveTopics>& foxglove_channels();

/// "serverInfo" and "advertise" of the protocol, which a client receives first.
std::string foxglove_server_info(const std::string& run);
std::string foxglove_advertisement();
/// A "status" of level warning for people.
std::string foxglove_warning(std::string_view text);

/// Messages from one status document after the other.
class FoxgloveMessages {
 public:
  struct Message {
    FoxgloveTopic topic{};
    std::string json;
  };

  /// `status`: the document of a gateway; `utc`: when it was asked for, since 1970. Conditions are new and ended ones.
  std::vector<Message> take(const nlohmann::ordered_json& status, Nanoseconds utc);
  /// The gateway did not answer: one condition, until it does.
  std::vector<Message> take_silence(const std::string& why, Nanoseconds utc);
  /// The conditions that stand now, for a client that is new to them.
  [[nodiscard]] std::vector<Message> standing(Nanoseconds utc) const;

 private:
  struct Condition {
    std::string name, about, text;
    int level = 0;
  };
  std::vector<Message> change_to(std::vector<Condition> now, Nanoseconds utc);

  std::vector<Condition> conditions_;
};

/// The message data of the protocol: opcode 1, the client's subscription, the instant, and the message.
std::string foxglove_data(std::uint32_t subscription, Nanoseconds utc, std::string_view json);

}  // namespace hilgate
