// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/survey/surveyed_floors.h"

#include <algorithm>
#include <cassert>
#include <filesystem>
#include <utility>

#include "config/range.h"
#include "config/yaml_reader.h"

namespace hilgate {
namespace {

struct FloorsFile {
  struct Storey {
    std::string map;
    double from_m = 0;
  };
  std::vector<Storey> storeys;
  double slab_db = 0;
};

bool names_floors(const std::string& file) {
  return YamlDocument::load(file).root().has("floors");
}

FloorsFile read_floors(const std::string& file) {
  constexpr std::size_t kMost = 100;
  YamlDocument document = YamlDocument::load(file);
  YamlReader root = document.root();
  FloorsFile read;
  read.slab_db = within<Decibels>(root, "slab", 0, 100).value;
  for (YamlReader& item : root.items("floors")) {
    FloorsFile::Storey storey;
    if (const auto map = needed<std::string>(item, "map")) {
      storey.map = item.file_named(*map).string();
    }
    storey.from_m = within<Metres>(item, "from", -1000, 10'000).value;
    if (!read.storeys.empty() && storey.from_m <= read.storeys.back().from_m) {
      item.fault("from", "is not above the previous floor's; list floors from below");
    }
    read.storeys.push_back(std::move(storey));
  }
  if (read.storeys.empty() || read.storeys.size() > kMost) {
    root.fault("floors", "needs 1 to 100 floors, for example [{map: ground.yaml, from: 0m}]");
  }
  document.finish();
  return read;
}

}  // namespace

SurveyedFloors::SurveyedFloors(std::vector<Floor> floors, double slab_db)
    : floors_(std::move(floors)), slab_db_(slab_db) {
  assert(!floors_.empty());
  std::uint32_t cells = 0;
  for (const Floor& floor : floors_) {
    first_.push_back(cells);
    cells += floor.survey->map().cell_count();
  }
}

std::uint32_t SurveyedFloors::floor_at(double z_m) const {
  std::uint32_t floor = 0;
  while (floor + 1 < floors_.size() && floors_[floor + 1].from_m <= z_m) {
    ++floor;
  }
  return floor;
}

std::optional<FloorPlace> SurveyedFloors::place_at(double x_m, double y_m, double z_m) const {
  const std::uint32_t floor = floor_at(z_m);
  const std::optional<GridCell> cell = map(floor).cell_at(x_m, y_m);
  return cell ? std::optional(FloorPlace{floor, *cell}) : std::nullopt;
}

double SurveyedFloors::loss_db(const FloorPlace& a, const FloorPlace& b) const {
  if (a.floor == b.floor) {
    return floors_[a.floor].survey->walls_db(a.cell, b.cell);
  }
  const FloorPlace& low = a.floor < b.floor ? a : b;
  const FloorPlace& high = a.floor < b.floor ? b : a;
  const std::uint32_t slabs = high.floor - low.floor;
  const Point from = middle(low);
  const Point to = middle(high);
  const auto met = [&](std::uint32_t slab) {  // from 1 on
    const double part = (slab - 0.5) / slabs;
    return Point{from.x_m + part * (to.x_m - from.x_m), from.y_m + part * (to.y_m - from.y_m)};
  };
  double loss_db = slabs * slab_db_ + walls_db(low.floor, from, met(1)) + walls_db(high.floor, met(slabs), to);
  for (std::uint32_t slab = 1; slab < slabs; ++slab) {
    loss_db += walls_db(low.floor + slab, met(slab), met(slab + 1));
  }
  return loss_db;
}

ShapeEntry SurveyedFloors::shape_entry(const FloorPlace& receiver, const FloorPlace& sender) const {
  constexpr ShapeEntry kNoWalls{.direct_share = 255};
  if (receiver.floor == sender.floor) {
    return floors_[receiver.floor].survey->shape_entry(receiver.cell, sender.cell);
  }
  const Point above = middle(sender);
  const std::optional<GridCell> cell = map(receiver.floor).cell_at(above.x_m, above.y_m);
  return cell ? floors_[receiver.floor].survey->shape_entry(receiver.cell, *cell) : kNoWalls;
}

SurveyedFloors::Point SurveyedFloors::middle(const FloorPlace& place) const {
  const GridMap& plan = map(place.floor);
  return {plan.origin_x_m + (place.cell.x + 0.5) * plan.cell_m, plan.origin_y_m + (place.cell.y + 0.5) * plan.cell_m};
}

// What is outside of a floor's map is free.
double SurveyedFloors::walls_db(std::size_t floor, const Point& a, const Point& b) const {
  const std::optional<GridCell> from = map(floor).cell_at(a.x_m, a.y_m);
  const std::optional<GridCell> to = map(floor).cell_at(b.x_m, b.y_m);
  return from && to ? floors_[floor].survey->walls_db(*from, *to) : 0;
}

std::vector<FileReference> map_references(const std::string& file) {
  YamlDocument document = YamlDocument::load(file);
  YamlReader root = document.root();
  if (root.has("floors")) {
    for (YamlReader& item : root.items("floors")) {
      static_cast<void>(item.file_of("map"));
    }
  } else {
    static_cast<void>(root.file_of("image"));
  }
  return document.references();
}

std::vector<std::string> maps_of(const std::string& file) {
  if (!names_floors(file)) {
    return {file};
  }
  std::vector<std::string> maps;
  for (FloorsFile::Storey& storey : read_floors(file).storeys) {
    if (std::find(maps.begin(), maps.end(), storey.map) == maps.end()) {
      maps.push_back(std::move(storey.map));
    }
  }
  return maps;
}

std::shared_ptr<const SurveyedFloors> open_floors(const std::string& file) {
  if (!names_floors(file)) {
    return std::make_shared<const SurveyedFloors>(open_survey(file));
  }
  const FloorsFile read = read_floors(file);
  std::vector<SurveyedFloors::Floor> floors;
  for (const FloorsFile::Storey& storey : read.storeys) {
    floors.push_back({open_survey(storey.map), storey.from_m});
  }
  return std::make_shared<const SurveyedFloors>(std::move(floors), read.slab_db);
}

}  // namespace hilgate
