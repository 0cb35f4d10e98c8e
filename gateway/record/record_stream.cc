// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/record_stream.h"

#include <algorithm>
#include <utility>

#include "gateway/record/record_reader.h"

namespace hilgate {

RecordStream::RecordStream(const std::filesystem::path& record, std::vector<std::string> topics)
    : file_(record_file(record)), topics_(std::move(topics)) {}

const RecordStream::Message* RecordStream::next() {
  while (waiting_.empty() && file_.next([this](const McapMessage& message) {
    if (std::ranges::find(topics_, message.channel.topic) != topics_.end()) {
      require_varints(message.channel);
      waiting_.push_back({message.channel.topic, message.at, std::string(message.data)});
    }
  })) {
  }
  return waiting_.empty() ? nullptr : &waiting_.front();
}

}  // namespace hilgate
