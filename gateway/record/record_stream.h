// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "clock/time.h"
#include "gateway/record/mcap/mcap_reader.h"

namespace hilgate {

/// The messages of some topics of a record, one after the other. It reads ahead by a chunk.
class RecordStream {
 public:
  struct Message {
    std::string topic{};
    Nanoseconds at{};  // since 1970
    std::string data{};
  };

  /// Throws as read_record().
  RecordStream(const std::filesystem::path& record, std::vector<std::string> topics);

  /// Valid until pop(); null: the record ends there or cannot be read further. Throws as read_mcap().
  [[nodiscard]] const Message* next();
  /// Requires one.
  void pop() { waiting_.pop_front(); }

 private:
  McapReader file_;
  std::vector<std::string> topics_;
  std::deque<Message> waiting_;
};

}  // namespace hilgate
