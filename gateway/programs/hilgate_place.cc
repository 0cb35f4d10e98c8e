// SPDX-License-Identifier: Apache-2.0
// hilgate-place: reads the buildings and the heights of a scene for a gateway, from files of strangers, in a process
// that can do nothing else.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>

#include "host/confinement.h"
#include "physics_link/geo/geo_json.h"
#include "physics_link/geo/place_files.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kMostMemory = std::uint64_t{6} << 30;  // bytes of address space
constexpr std::chrono::seconds kMostTime{120};                 // of processors

/// Buildings stand on the lowest ground under their outlines.
void put_on_ground(const GeoQuestion& question, GeoScene& scene) {
  const HeightGrid ground(scene.terrain->layout, scene.terrain->heights_m, question.origin.alt_m);
  for (GeoBuilding& building : scene.buildings) {
    double lowest_m = std::numeric_limits<double>::infinity();
    for (const GroundRing& ring : building.rings) {
      for (const GroundPoint& point : ring) {
        if (!ground.covers(point.x, point.y)) {
          const mavlink::Geodetic place = geodetic_of({point.x, point.y, 0}, question.origin);
          throw GeoFault("terrain",
                         fmt::format("{} does not cover {}, which reaches to latitude {:.5f}, longitude {:.5f}; "
                                     "set a smaller `radius`, or use a larger raster",
                                     question.terrain, building.name, place.lat_deg, place.lon_deg));
        }
        lowest_m = std::min(lowest_m, ground.at(point.x, point.y));
      }
    }
    building.base_m += lowest_m;
    building.top_m += lowest_m;
  }
}

GeoScene survey(const GeoQuestion& question) {
  GeoScene scene;
  if (!question.osm.empty()) {
    scene = read_osm_buildings(question);
  }
  if (!question.terrain.empty()) {
    scene.terrain = read_elevation_file(question);
    put_on_ground(question, scene);
  }
  return scene;
}

int answer(const std::string& question) {
  try {
    confine_reader(kMostMemory, kMostTime);
    fmt::print("{}\n", geo_scene_text(survey(parse_geo_question(question))));
    return 0;
  } catch (const GeoFault& fault) {
    fmt::print("{}\n", geo_fault_text(fault));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "hilgate-place: {}\n", error.what());
    return 1;
  }
}

}  // namespace
}  // namespace hilgate

int main(int argc, char** argv) {
  std::string question;
  CLI::App program(
      "hilgate-place: reads buildings of OpenStreetMap and heights of a raster for a gateway; each gateway starts its "
      "own",
      "hilgate-place");
  program.add_option("question", question, "what to read, from the gateway, as JSON")->required();
  CLI11_PARSE(program, argc, argv);
  return hilgate::answer(question);
}
