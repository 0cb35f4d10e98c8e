// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/ros2/bridge/writer_watch.h"

#include <cstring>
#include <utility>

#include "gateway/views/ros2/bridge/domains.h"

namespace hilgate::ros2 {

WriterWatch::WriterWatch(dds_entity_t participant, std::set<std::string> topics)
    : topics_(std::move(topics)),
      reader_(made(dds_create_reader(participant, DDS_BUILTIN_TOPIC_DCPSPUBLICATION, nullptr, nullptr),
                   "hear of publishers")) {}

void WriterWatch::look() {
  take_all<dds_builtintopic_endpoint_t>(
      reader_, [this](const dds_builtintopic_endpoint_t& endpoint, const dds_sample_info_t& info) {
        Key key{};
        std::memcpy(key.data(), endpoint.key.v, key.size());
        if (info.instance_state != DDS_IST_ALIVE) {
          writers_.erase(key);
        } else if (info.valid_data && topics_.contains(endpoint.topic_name)) {
          writers_[key] = {.topic = endpoint.topic_name, .type = endpoint.type_name};
        }
      });
}

std::map<std::string, int> WriterWatch::types(const std::string& topic) const {
  std::map<std::string, int> types;
  for (const auto& [key, writer] : writers_) {
    if (writer.topic == topic) {
      ++types[writer.type];
    }
  }
  return types;
}

}  // namespace hilgate::ros2
