// SPDX-License-Identifier: Apache-2.0
// A record has every file that its run was made from.
#include "gateway/run/recorder/run_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "gateway/configuration/document/config_document.h"
#include "gateway/configuration/reader/installed_names.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/survey/grid_map.h"
#include "rf_profiles/survey/surveyed_floors.h"

namespace hilgate::test {
namespace {

class KeptFiles : public testing::Test {
 protected:
  KeptFiles() : folder_(std::filesystem::temp_directory_path() / ("hilgate-kept-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(record());
  }
  ~KeptFiles() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path record() const { return folder_ / "record"; }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The configuration as its record has it, after the originals are gone.
  [[nodiscard]] Configuration kept(const std::vector<std::string>& later = {}) const {
    const std::filesystem::path file = folder_ / "work/runs/run.yaml";
    const ConfigDocument document = ConfigDocument::load(file);
    RunSources sources{document.read(known_names()), text_of(file)};
    for (const std::string& change : later) {
      sources.later.push_back(document.with({change}).read(known_names()));
    }
    keep_sources(sources, record());
    std::filesystem::remove_all(folder_ / "work");
    return ConfigDocument::load(record() / "configuration.yaml").read(known_names());
  }
  void expect_in_record(const std::filesystem::path& file) const {
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
    EXPECT_TRUE(file.string().starts_with(record().string())) << file;
  }
  // Changed profiles of the library, in a folder of their own.
  void write_profile(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text = text_of(HILGATE_SOURCE_DIR "/rf_profiles/profiles/sat_geo.yaml");
    text.replace(text.find("id: sat_geo"), 11, "id: " + name);
    text.replace(text.find(from), from.size(), to);
    write("work/radios/" + name + ".yaml", text);
  }

  std::filesystem::path folder_;
};

const std::string kPlan =
    "image: pictures/hall.pgm\ncell: 1 m\norigin: [0m, 0m]\nlegend: [{colour: '#ffffff', name: free}]\n";
const std::string kRobots =
    "ports: {p: {interface: a}, q: {interface: b}}\nrobots: {red: {port: p, radio: own}, blue: {port: q, radio: "
    "own}}\n";

TEST(KeptPath, StaysInTheFolder) {
  EXPECT_EQ(kept_path("maps/hall.yaml"), "run-files/maps/hall.yaml");
  EXPECT_EQ(kept_path("../../hall.yaml"), "run-files/_up/_up/hall.yaml");
  EXPECT_EQ(kept_path("a/../../hall.yaml"), "run-files/_up/hall.yaml");
  EXPECT_EQ(kept_path("/srv/hall.yaml"), "run-files/_root/srv/hall.yaml");
  EXPECT_EQ(kept_path("/../../etc/x"), "run-files/_root/etc/x");
}

TEST_F(KeptFiles, FloorPlansTracksProfilesAndTheirFiles) {
  write("work/plans/hall.yaml", kPlan);
  write("work/plans/pictures/hall.pgm", "P2 2 1 255 255 255\n");
  write("work/plans/hall.survey", "a survey");
  write("work/runs/data/tracks.csv", "t_s,robot,x_m,y_m,z_m\n0,red,1,2,3\n0,blue,4,5,6\n");
  write("work/patterns/dish.csv", "azimuth_deg,elevation_deg,gain_dbi\n0,0,30\n");
  write_profile("own", "  cable_loss: 0 dB\n",
                "  cable_loss: 0 dB\n  antenna: {pattern: table, file: ../patterns/dish.csv}\n");
  write("work/runs/run.yaml", "name: t\nprofiles: [../radios]\nnetsim: {type: embedded, map: ../plans/hall.yaml}\n" +
                                  kRobots + "physics: {type: trajectory, file: data/tracks.csv}\n");
  Configuration configuration;
  ASSERT_NO_THROW(configuration = kept());
  const auto& map = std::get<EmbeddedConfig>(configuration.netsim).map;
  ASSERT_TRUE(map);
  expect_in_record(*map);
  EXPECT_EQ(load_grid_map(map->string()).width, 2U);
  EXPECT_EQ(text_of(survey_file_of(map->string())), "a survey");
  const auto profiles = profile_files(configuration);
  ASSERT_TRUE(profiles.contains("own"));
  expect_in_record(profiles.at("own"));
  const RadioProfile own = load_radio_profile(profiles.at("own"));
  ASSERT_EQ(own.references.size(), 1U);
  expect_in_record(own.references[0].file);
  EXPECT_NO_THROW(load_radio_profile((record() / "profiles/own.yaml").string())) << "where a replay looks";
  ASSERT_TRUE(configuration.physics);
  EXPECT_EQ(configuration.physics->tracks.size(), 2U);
}

TEST_F(KeptFiles, FloorsAndTheirMaps) {
  write("work/runs/floors.yaml",
        "slab: 15 dB\nfloors: [{map: ../plans/a.yaml, from: 0m}, {map: ../plans/b.yaml, from: 3m}]\n");
  for (const char* floor : {"a", "b"}) {
    write(std::string("work/plans/") + floor + ".yaml", kPlan);
  }
  write("work/plans/pictures/hall.pgm", "P2 2 1 255 255 255\n");
  write_profile("own", "cable_loss: 0 dB", "cable_loss: 0 dB");
  write("work/runs/run.yaml",
        "name: t\nprofiles: [../radios]\nnetsim: {type: embedded, map: floors.yaml}\n" + kRobots +
            "physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m,0m,0m]}], blue: [{at: 0s, position: "
            "[1m,0m,0m]}]}}\n");
  const auto map = std::get<EmbeddedConfig>(kept().netsim).map;
  ASSERT_TRUE(map);
  const std::vector<std::string> maps = maps_of(map->string());
  ASSERT_EQ(maps.size(), 2U);
  for (const std::string& each : maps) {
    expect_in_record(each);
    EXPECT_NO_THROW(load_grid_map(each));
  }
}

TEST_F(KeptFiles, TracesAndTheScenarioWithTheProfilesOfItsSteps) {
  write("work/data/up.csv", "time_s,rate_mbps\n0,1\n1,2\n");
  write("work/runs/steps.yaml", "steps: [{at: 1s, set: {window: 2ms}}]\nend: 2s\n");
  write("work/runs/run.yaml",
        "name: t\nnetsim: {type: trace, traces: [{from: red, to: blue, file: ../data/up.csv}]}\n"
        "ports: {p: {interface: a}, q: {interface: b}}\nrobots: {red: {port: p}, blue: {port: q}}\n"
        "scenario: steps.yaml\n");
  const ConfigDocument document = ConfigDocument::load(folder_ / "work/runs/run.yaml");
  const Configuration configuration = load_configuration(folder_ / "work/runs/run.yaml", known_names());
  keep_sources({configuration, document.text(), {document.with({"robots.red.radio=sat_geo"}).read(known_names())}},
               record());
  std::filesystem::remove_all(folder_ / "work");
  Configuration again;
  ASSERT_NO_THROW(again = load_configuration(record() / "configuration.yaml", known_names()));
  EXPECT_TRUE(again.scenario);
  for (const FileReference& reference : again.references) {
    expect_in_record(reference.file);
  }
  EXPECT_EQ(again.references.size(), 2U);
  EXPECT_TRUE(std::filesystem::exists(record() / "profiles/sat_geo.yaml")) << "of a later step";
}

TEST_F(KeptFiles, ChangedFilesAreReported) {
  write("work/a", "one");
  const std::string before = file_digest(folder_ / "work/a");
  write("work/a", "two");
  EXPECT_NE(file_digest(folder_ / "work/a"), before);
  EXPECT_EQ(file_digest(folder_ / "work/none"), "cbf29ce484222325");
}

}  // namespace
}  // namespace hilgate::test
