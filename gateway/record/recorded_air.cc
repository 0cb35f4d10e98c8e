// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/recorded_air.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "gateway/record/varint.h"

namespace hilgate {
namespace {

RecordedAir::Place place_of_table(const RecordStream::Message& message) {
  VarintReader reader(message.data);
  RecordedAir::Place place{.window = reader.number(), .written = message.at};
  place.at = SimTime{Nanoseconds{reader.signed_number()}};
  return place;
}

RunLayout layout_of_message(const RecordStream::Message& message) {
  try {
    return RunLayout::of(nlohmann::json::parse(message.data));
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(fmt::format("a layout of the record is invalid: {}", error.what()));
  }
}

}  // namespace

RecordedAir::RecordedAir(const std::filesystem::path& record) : messages_(record, {kLinksTopic, kLayoutTopic}) {
  if (!next()) {
    throw std::runtime_error(fmt::format("{}: has no link table", record.string()));
  }
  advance();
}

void RecordedAir::go_to(SimTime at) {
  for (auto following = next(); following && following->at <= at; following = next()) {
    advance();
  }
}

std::optional<RecordedAir::Place> RecordedAir::next() {
  const RecordStream::Message* message = messages_.next();
  for (; message != nullptr && message->topic == kLayoutTopic; message = messages_.next()) {
    next_layout_ = layout_of_message(*message);
    messages_.pop();
  }
  return message == nullptr ? std::nullopt : std::optional(place_of_table(*message));
}

void RecordedAir::advance() {
  const RecordStream::Message& message = *messages_.next();
  place_ = place_of_table(message);
  table_ = &decoder_.decode(message.data);
  messages_.pop();
  if (next_layout_) {
    layout_ = std::move(*next_layout_);
    next_layout_.reset();
    ++layouts_;
  }
  if (table_->links.size() != layout_.ends.size() * layout_.ends.size()) {
    throw std::runtime_error("a link table of the record is of other robots than its layout");
  }
}

}  // namespace hilgate
