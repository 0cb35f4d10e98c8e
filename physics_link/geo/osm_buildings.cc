// SPDX-License-Identifier: Apache-2.0
#include "physics_link/geo/place_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <osmium/area/assembler.hpp>
#include <osmium/area/multipolygon_manager.hpp>
#include <osmium/handler.hpp>
#include <osmium/handler/node_locations_for_ways.hpp>
#include <osmium/index/map/flex_mem.hpp>
#include <osmium/io/any_input.hpp>
#include <osmium/tags/tags_filter.hpp>
#include <osmium/visitor.hpp>

#include "physics_link/geo/building_tags.h"

namespace hilgate {
namespace {

using OsmIndex = osmium::index::map::FlexMem<osmium::unsigned_object_id_type, osmium::Location>;
using OsmLocations = osmium::handler::NodeLocationsForWays<OsmIndex, OsmIndex>;
using OsmAreas = osmium::area::MultipolygonManager<osmium::area::Assembler>;

std::string tag_of(const osmium::TagList& tags, const char* key) {
  const char* value = tags[key];
  return value != nullptr ? value : "";
}

/// `building=no` is not a building; roofs without walls and what lies below the ground obstruct no ray.
bool is_building(const osmium::TagList& tags) {
  const std::string kind = tag_of(tags, "building");
  return !kind.empty() && kind != "no";
}
bool has_walls(const osmium::TagList& tags) {
  return tag_of(tags, "building") != "roof" && !tag_of(tags, "layer").starts_with('-') &&
         tag_of(tags, "location") != "underground";
}

/// Takes areas that libosmium has put together.
class BuildingTaker : public osmium::handler::Handler {
 public:
  explicit BuildingTaker(const GeoQuestion& question) : question_(question) {}

  // libosmium makes no area of a way that misses a node, as extracts cut them, or is not closed.
  void way(const osmium::Way& way) {
    constexpr std::size_t kLeastNodes = 4;  // the first one twice
    const bool is_whole = way.nodes().size() >= kLeastNodes && way.ends_have_same_id() &&
                          std::ranges::all_of(way.nodes(), [](const auto& node) { return node.location().valid(); });
    scene_.counts.broken += is_building(way.tags()) && !is_whole ? 1 : 0;
  }

  void area(const osmium::Area& area) {
    relations_ += area.from_way() ? 0 : 1;
    if (!is_building(area.tags())) {
      return;
    }
    if (area.num_rings().first == 0) {
      ++scene_.counts.broken;
      return;
    }
    if (!has_walls(area.tags())) {
      ++scene_.counts.roofs;
      return;
    }
    // Each outer ring with its courtyards is a prism; all of a building have its tags.
    bool is_inside = true;
    std::vector<GeoBuilding> parts;
    for (const osmium::OuterRing& outer : area.outer_rings()) {
      GeoBuilding part{.name = fmt::format("{} {}", area.from_way() ? "way" : "relation", area.orig_id()),
                       .rings = {ring_of(outer)},
                       .material = {},
                       .wall_m = {}};
      for (const osmium::InnerRing& inner : area.inner_rings(outer)) {
        part.rings.push_back(ring_of(inner));
      }
      is_inside = is_inside && lies_inside(part.rings.front());
      parts.push_back(std::move(part));
    }
    if (!is_inside) {
      ++scene_.counts.outside;
      return;
    }
    set_height(area.tags(), parts);
    set_walls(area.tags(), parts);
    std::ranges::move(parts, std::back_inserter(scene_.buildings));
    if (scene_.buildings.size() > kMostGeoBuildings || points_ > kMostGeoPoints) {
      throw GeoFault("osm",
                     fmt::format("{} has more than {} buildings, or more than {} points of their outlines, within "
                                 "{:g} m of the origin; set a smaller `radius`",
                                 question_.osm, kMostGeoBuildings, kMostGeoPoints, question_.radius_m));
    }
  }

  /// Of the file.
  [[nodiscard]] GeoScene take(std::size_t relations_of_file) {
    scene_.counts.broken +=
        relations_of_file - std::min(relations_of_file, relations_);  // of which libosmium has made no area
    if (scene_.buildings.empty()) {
      throw_none();
    }
    return std::move(scene_);
  }

 private:
  template <class Ring>
  GroundRing ring_of(const Ring& ring) {
    GroundRing points;
    for (const osmium::NodeRef& node : ring) {
      points_ += 1;
      const mavlink::Geodetic place{.lat_deg = node.lat(), .lon_deg = node.lon(), .alt_m = question_.origin.alt_m};
      const Vec3 at = enu_of(place, question_.origin);
      note_distance(std::hypot(at.x, at.y), place);
      points.push_back({at.x, at.y});
    }
    if (points.size() > 1) {
      points.pop_back();  // the first again
    }
    return points;
  }

  void note_distance(double distance_m, const mavlink::Geodetic& place) {
    if (distance_m < nearest_m_) {
      nearest_m_ = distance_m;
      nearest_ = place;
    }
  }

  [[nodiscard]] bool lies_inside(const GroundRing& ring) const {
    return std::ranges::all_of(ring, [this](const GroundPoint& point) {
      return std::max(std::abs(point.x), std::abs(point.y)) <= question_.radius_m;
    });
  }

  void set_height(const osmium::TagList& tags, std::vector<GeoBuilding>& parts) {
    constexpr double kLeastHeight = 0.5;  // m
    const auto height = length_of_tag(tag_of(tags, "height"));
    const auto levels = levels_of_tag(tag_of(tags, "building:levels"));
    double top_m = question_.default_height_m;
    if (height && *height >= kLeastHeight) {
      top_m = *height;
      ++scene_.counts.by_height;
    } else if (levels && *levels > 0) {
      top_m = *levels * kLevelHeight;
      ++scene_.counts.by_levels;
    } else {
      ++scene_.counts.by_default;
    }
    const double base_m = length_of_tag(tag_of(tags, "min_height")).value_or(0);
    for (GeoBuilding& part : parts) {
      part.base_m = base_m < top_m ? base_m : 0;
      part.top_m = top_m;
    }
  }

  void set_walls(const osmium::TagList& tags, std::vector<GeoBuilding>& parts) {
    const auto kind = wall_kind_of_tag(tag_of(tags, "building:material"));
    scene_.counts.with_material += kind ? 1 : 0;
    for (GeoBuilding& part : parts) {
      part.material = kind ? std::string(kind->material) : "building";
      part.wall_m = kind ? std::optional(kind->wall_m) : std::nullopt;
    }
  }

  [[noreturn]] void throw_none() const {
    if (scene_.counts.outside == 0) {
      throw GeoFault("osm",
                     fmt::format("{} has no buildings: no closed way and no multipolygon has the tag `building`; "
                                 "left out: {} roofs or under the ground, {} with broken or cut outlines",
                                 question_.osm, scene_.counts.roofs, scene_.counts.broken));
    }
    const mavlink::Geodetic& origin = question_.origin;
    std::string text = fmt::format(
        "the buildings of {} are not within {:g} m of the origin: the nearest is {:.0f} m away, at latitude {:.5f}, "
        "longitude {:.5f}",
        question_.osm, question_.radius_m, nearest_m_, nearest_.lat_deg, nearest_.lon_deg);
    const mavlink::Geodetic swapped{.lat_deg = origin.lon_deg, .lon_deg = origin.lat_deg, .alt_m = origin.alt_m};
    constexpr double kPole = 90;  // degrees
    const Vec3 apart = enu_of(nearest_, swapped);
    const bool are_swapped =
        std::abs(swapped.lat_deg) <= kPole && std::hypot(apart.x, apart.y, apart.z) < std::min(nearest_m_ / 2, 1e5);
    text += are_swapped ? "; latitude and longitude of the origin are swapped" : "; check the origin, or set `radius`";
    throw GeoFault("origin", text);
  }

  const GeoQuestion& question_;
  GeoScene scene_;
  std::size_t points_ = 0;
  std::size_t relations_ = 0;                                   // with an area
  double nearest_m_ = std::numeric_limits<double>::infinity();  // of all outlines, to the origin
  mavlink::Geodetic nearest_;
};

GeoScene read_areas(const GeoQuestion& question) {
  const osmium::io::File file(question.osm);
  osmium::area::AssemblerConfig config;
  config.create_empty_areas = true;  // so that outlines with faults are counted
  osmium::TagsFilter filter(false);
  filter.add_rule(true, "building");
  OsmAreas areas(config, filter);
  osmium::relations::read_relations(file, areas);
  OsmIndex index;
  OsmIndex index_of_new;  // editors give objects negative numbers that they have not uploaded
  OsmLocations locations(index, index_of_new);
  locations.ignore_errors();  // extracts miss nodes of what they cut; such outlines are counted
  const std::size_t relations = areas.relations_database().size();
  BuildingTaker taker(question);
  osmium::io::Reader reader(file, osmium::osm_entity_bits::node | osmium::osm_entity_bits::way);
  osmium::apply(reader, locations, taker,
                areas.handler([&taker](osmium::memory::Buffer&& buffer) { osmium::apply(buffer, taker); }));
  reader.close();
  return taker.take(relations);
}

}  // namespace

GeoScene read_osm_buildings(const GeoQuestion& question) {
  try {
    return read_areas(question);
  } catch (const GeoFault&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw GeoFault("osm",
                   fmt::format("{} needs more memory than hilgate-place may have; use a smaller extract: `osmium "
                               "extract -b WEST,SOUTH,EAST,NORTH`",
                               question.osm));
  } catch (const std::exception& error) {
    throw GeoFault("osm",
                   fmt::format("{} is not a file of OpenStreetMap that can be read ({}); needed: .osm.pbf, .osm, "
                               ".osm.gz or .osm.bz2",
                               question.osm, error.what()));
  }
}

}  // namespace hilgate
