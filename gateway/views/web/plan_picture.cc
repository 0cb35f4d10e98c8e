// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/plan_picture.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <stdexcept>
#include <system_error>

namespace hilgate {
namespace {

using namespace std::literals;

// By the first bytes: PNG (ISO/IEC 15948, 5.2), JPEG (ITU-T T.81, B.1), WebP (RFC 9649, 2.4). Empty: another file.
std::string_view picture_type(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n"sv)) {
    return "image/png";
  }
  if (bytes.starts_with("\xff\xd8\xff"sv)) {
    return "image/jpeg";
  }
  return bytes.starts_with("RIFF"sv) && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP"sv ? "image/webp" : "";
}

// Of a regular file: others may not end, or wait.
std::string picture_bytes(const std::filesystem::path& file) {
  if (!std::filesystem::is_regular_file(file)) {
    throw std::runtime_error(std::filesystem::exists(file) ? "is not a file" : "no such file");
  }
  if (const auto size = std::filesystem::file_size(file); size > PlanPicture::kLongest) {
    throw std::runtime_error(
        fmt::format("has {} bytes; at most {} are shown: make it smaller", size, PlanPicture::kLongest));
  }
  std::ifstream stream(file, std::ios::binary);
  std::string bytes(PlanPicture::kLongest + 1, '\0');  // it may have grown meanwhile
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  if (bytes.size() > PlanPicture::kLongest || !stream.eof()) {
    throw std::runtime_error("cannot be read");
  }
  return bytes;
}

}  // namespace

PlanPicture open_plan(const WebPlan& place) try {
  PlanPicture plan{
      .place = place, .type = {}, .bytes = std::make_shared<const std::string>(picture_bytes(place.image))};
  plan.type = picture_type(*plan.bytes);
  if (plan.type.empty()) {
    throw std::runtime_error("is no picture by its first bytes; PNG, JPEG and WebP are shown");
  }
  return plan;
} catch (const std::runtime_error& error) {
  throw std::runtime_error(fmt::format("web.plan: {}: {}", place.image.string(), error.what()));
}

std::string about_plan(const PlanPicture& plan) {
  return nlohmann::json{{"origin_m", {plan.place.x_m, plan.place.y_m}},
                        {"width_m", plan.place.width_m},
                        {"rotation_deg", plan.place.rotation_rad * 180 / std::numbers::pi}}
      .dump();
}

}  // namespace hilgate
