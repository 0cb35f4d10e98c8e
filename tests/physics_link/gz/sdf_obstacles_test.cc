// SPDX-License-Identifier: Apache-2.0
#include "physics_link/gz/sdf_obstacles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "physics_link/gz/mesh.h"
#include "physics_link/gz/sdf_resources.h"

namespace hilgate::gz {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class SdfObstacles : public testing::Test {
 protected:
  SdfObstacles() : folder_(std::filesystem::path(testing::TempDir()) / ("hgt-sdf-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~SdfObstacles() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  // A world with one static model of one shape.
  SdfWorld with_shape(const std::string& geometry, const std::string& pose = "") {
    return read_sdf_world(write("w.sdf", "<sdf version='1.9'><world name='w'><model name='m'><static>1</static>" +
                                             pose + "<link name='l'><collision name='c'><geometry>" + geometry +
                                             "</geometry></collision></link></model></world></sdf>"));
  }
  static bool blocked(const SdfWorld& world, const Vec3& a, const Vec3& b) {
    EXPECT_EQ(world.obstacles.size(), 1U);
    return !world.obstacles.empty() && blocks(world.obstacles[0], a, b);
  }

  std::filesystem::path folder_;
};

TEST_F(SdfObstacles, AreStaticModelsWithoutTheGround) {
  const SdfWorld world = read_sdf_world(HILGATE_SOURCE_DIR "/tests/physics_link/gz/wall.sdf");
  EXPECT_EQ(world.name, "yard");
  EXPECT_EQ(world.step_s, 0.001);
  ASSERT_EQ(world.obstacles.size(), 1U);
  EXPECT_EQ(world.obstacles[0].name, "wall::l::c");
  EXPECT_EQ(world.obstacles[0].pose.position, (Vec3{1001, 5, 1}));
  EXPECT_TRUE(blocks(world.obstacles[0], {1001, 0, 1}, {1001, 10, 1}));
  EXPECT_FALSE(blocks(world.obstacles[0], {1004, 0, 1}, {1004, 10, 1}));
  EXPECT_THAT(world.left_out, IsEmpty());
}

TEST_F(SdfObstacles, BoxesTurnWithTheirModels) {
  const SdfWorld straight = with_shape("<box><size>10 1 2</size></box>");
  EXPECT_TRUE(blocked(straight, {4, -5, 0}, {4, 5, 0}));
  EXPECT_FALSE(blocked(straight, {0, 3, 0}, {5, 3, 0}));
  const SdfWorld turned = with_shape("<box><size>10 1 2</size></box>", "<pose degrees='true'>0 0 0 0 0 90</pose>");
  EXPECT_FALSE(blocked(turned, {4, -5, 0}, {4, 5, 0}));
  EXPECT_TRUE(blocked(turned, {-3, 3, 0}, {5, 3, 0}));
  const SdfWorld pitched = with_shape("<box><size>10 1 2</size></box>", "<pose>0 0 0 0 -1.5707963 0</pose>");
  EXPECT_TRUE(blocked(pitched, {-3, 0, 4}, {3, 0, 4})) << "its length points up";
}

TEST_F(SdfObstacles, OutsideOfARayBlockNothing) {
  const SdfWorld world = with_shape("<box><size>1 1 1</size></box>");
  EXPECT_FALSE(blocked(world, {2, 0, 0}, {9, 0, 0}));
  EXPECT_FALSE(blocked(world, {-9, 0, 0}, {-2, 0, 0}));
  EXPECT_TRUE(blocked(world, {0, 0, 0}, {9, 0, 0})) << "from inside";
}

TEST_F(SdfObstacles, CylindersAndSpheresAreRound) {
  const SdfWorld cylinder = with_shape("<cylinder><radius>2</radius><length>4</length></cylinder>");
  EXPECT_TRUE(blocked(cylinder, {-5, 1.9, 0}, {5, 1.9, 0}));
  EXPECT_FALSE(blocked(cylinder, {-5, 2.1, 0}, {5, 2.1, 0}));
  EXPECT_FALSE(blocked(cylinder, {0.5, 3, 0}, {3, 0.5, 0})) << "past a corner of the box around it";
  EXPECT_FALSE(blocked(cylinder, {-5, 0, 2.1}, {5, 0, 2.1}));
  EXPECT_TRUE(blocked(cylinder, {0, 0, -5}, {0, 0, 5}));
  EXPECT_FALSE(blocked(cylinder, {3, 0, -5}, {3, 0, 5}));
  const SdfWorld sphere = with_shape("<sphere><radius>2</radius></sphere>");
  EXPECT_TRUE(blocked(sphere, {-5, 0, 1.9}, {5, 0, 1.9}));
  EXPECT_FALSE(blocked(sphere, {-5, 1.5, 1.5}, {5, 1.5, 1.5}));
}

// A wall of two triangles from x -1 to 1 and z 0 to 3, with nothing beside it.
constexpr const char* kObjWall =
    "# a mesh\nv -1 0 0\nv 1 0 0\nv 1 0 3\nv -1 0 3\nvn 9 9 9\nf 1/1/1 2/1/1 3/1/1 -1/1/1\n";

TEST_F(SdfObstacles, MeshesBlockWhereTheirTrianglesAre) {
  write("m.obj", kObjWall);
  const SdfWorld world = with_shape("<mesh><uri>m.obj</uri><scale>2 1 1</scale></mesh>");
  EXPECT_TRUE(blocked(world, {1.9, -5, 1}, {1.9, 5, 1}));
  EXPECT_FALSE(blocked(world, {2.1, -5, 1}, {2.1, 5, 1}));
  EXPECT_FALSE(blocked(world, {0, -5, 3.1}, {0, 5, 3.1}));
  EXPECT_FALSE(blocked(world, {0, 1, 1}, {0, 5, 1})) << "it is behind the one end";
}

TEST_F(SdfObstacles, MeshesOfEveryKindAreRead) {
  std::string binary(84, ' ');
  const std::uint32_t one = 1;
  std::memcpy(binary.data() + 80, &one, 4);
  const float numbers[12] = {0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 5, 6};
  binary.append(reinterpret_cast<const char*>(numbers), sizeof(numbers));
  binary.append(2, '\0');
  const auto stl = read_mesh({.file = write("b.stl", binary)});
  ASSERT_EQ(stl->triangles.size(), 1U);
  EXPECT_EQ(stl->triangles[0][2], (Vec3{0, 5, 6}));
  EXPECT_EQ(stl->box.high, (Vec3{4, 5, 6}));
  const auto text = read_mesh({.file = write("t.STL",
                                             "solid wall\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\n"
                                             "vertex -1 0 0\nvertex 0 0 0\nendloop\nendfacet\nendsolid wall\n"),
                               .scale = {2, 1, 1}});
  EXPECT_EQ(text->box.low, (Vec3{-2, 0, 0}));
  EXPECT_EQ(text->box.high, (Vec3{2, 2, 3}));
}

// Centimetres, as modelling programs write: a square in the plane of x and y, moved by 100 along x and turned. Gazebo
// does not look at the axis that is up.
constexpr const char* kCollada =
    "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset><unit name='cm' "
    "meter='0.01'/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id='g' name='g'><mesh>"
    "<source id='p'><float_array id='pa' count='12'>-100 0 0 100 0 0 100 300 0 -100 300 0</float_array>"
    "<technique_common><accessor source='#pa' count='4' stride='3'/></technique_common></source>"
    "<source id='n'><float_array id='na' count='3'>0 0 1</float_array>"
    "<technique_common><accessor source='#na' count='1' stride='3'/></technique_common></source>"
    "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
    "<triangles count='2'><input semantic='VERTEX' source='#v' offset='0'/><input semantic='NORMAL' source='#n' "
    "offset='1'/><p>0 0 1 0 2 0 0 0 2 0 3 0</p></triangles></mesh></geometry></library_geometries>"
    "<library_visual_scenes><visual_scene id='s' name='s'><node id='a' name='a'><translate>100 0 0</translate>"
    "<rotate>0 1 0 90</rotate><instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url='#s'/></scene></COLLADA>";

TEST_F(SdfObstacles, ColladaIsReadAsGazeboReadsIt) {
  write("m.dae", kCollada);
  const SdfWorld world = with_shape("<mesh><uri>m.dae</uri></mesh>");
  EXPECT_TRUE(blocked(world, {0, 2.9, 0}, {2, 2.9, 0})) << "at x = 1, from z -1 to 1, from y 0 to 3";
  EXPECT_TRUE(blocked(world, {0, 0.1, 0.9}, {2, 0.1, 0.9}));
  EXPECT_FALSE(blocked(world, {0, 3.1, 0}, {2, 3.1, 0}));
  EXPECT_FALSE(blocked(world, {0, 1, 1.1}, {2, 1, 1.1}));
  EXPECT_FALSE(blocked(world, {0, 1, -5}, {0, 1, 5})) << "it stands across x";
}

TEST_F(SdfObstacles, DamagedMeshesAreLeftOut) {
  for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"bad.dae", "<COLLADA>"},
           {"other.dae", "<sdf/>"},
           {"null.dae", "<COLLADA><library_visual_scenes><visual_scene/></library_visual_scenes></COLLADA>"},
           {"far.obj", "f 1 2 3\nf 9999 2 -77\n"},
           {"noise.stl", std::string(300, '\xa5')}}) {
    write(name, bytes);
    const SdfWorld world = with_shape("<mesh><uri>" + name + "</uri></mesh>");
    EXPECT_THAT(world.left_out, ElementsAre(AllOf(HasSubstr("m::l::c: its mesh "), HasSubstr(name)))) << name;
    EXPECT_THAT(world.obstacles, IsEmpty()) << name;
  }
}

TEST_F(SdfObstacles, ASubmeshIsReadAlone) {
  write("m.obj", "o low\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\no high\nv 0 0 7\nv 1 0 7\nv 0 0 9\nf 4 5 6\n");
  const auto low_of = [this](const std::string& submesh) {
    const SdfWorld world = with_shape("<mesh><uri>m.obj</uri>" + submesh + "</mesh>");
    EXPECT_THAT(world.left_out, IsEmpty());
    return world.obstacles.empty() ? -1 : std::get<std::shared_ptr<const Mesh>>(world.obstacles[0].shape)->box.low.z;
  };
  EXPECT_EQ(low_of(""), 0);
  EXPECT_EQ(low_of("<submesh><name>high</name></submesh>"), 7);
  EXPECT_EQ(low_of("<submesh><name>high</name><center>true</center></submesh>"), -1);
  EXPECT_THAT(with_shape("<mesh><uri>m.obj</uri><submesh><name>roof</name></submesh></mesh>").left_out,
              ElementsAre(HasSubstr("has no submesh of that name")));
}

TEST_F(SdfObstacles, PosesMayBeRelativeToOtherFrames) {
  const SdfWorld world = read_sdf_world(write(
      "w.sdf",
      "<sdf version='1.9'><world name='w'><frame name='gate'><pose>10 0 0 0 0 0</pose></frame>"
      "<model name='m'><static>1</static><pose relative_to='gate'>1 0 0 0 0 0</pose><link name='a'><pose>0 0 5 0 0 0"
      "</pose></link><link name='b'><pose relative_to='a'>0 0 2 0 0 0</pose><collision name='c'><geometry><sphere>"
      "<radius>1</radius></sphere></geometry></collision></link></model></world></sdf>"));
  ASSERT_EQ(world.obstacles.size(), 1U);
  EXPECT_EQ(world.obstacles[0].pose.position, (Vec3{11, 0, 7}));
  EXPECT_THAT(world.left_out, IsEmpty());
}

TEST_F(SdfObstacles, IncludedModelsStandWhereTheyAreIncluded) {
  std::filesystem::create_directories(folder_ / "models/house/meshes");
  write("models/house/model.config", "<model><name>house</name><sdf version='1.6'>house.sdf</sdf></model>");
  write("models/house/house.sdf",
        "<sdf version='1.6'><model name='house'><pose>9 9 9 0 0 0</pose><static>1</static><link name='l'><collision "
        "name='c'><geometry><mesh><uri>model://house/meshes/wall.obj</uri></mesh></geometry></collision></link></model>"
        "</sdf>");
  write("models/house/meshes/wall.obj", kObjWall);
  const auto world = [this](const std::string& includes) {
    return read_sdf_world(write("w.sdf", "<sdf version='1.9'><world name='w'>" + includes + "</world></sdf>"));
  };
  const SdfWorld placed = world(
      "<include><uri>model://house</uri><name>north</name><pose>20 0 0 0 0 0</pose></include>"
      "<include><uri>model://house</uri></include>");
  ASSERT_EQ(placed.obstacles.size(), 2U);
  EXPECT_EQ(placed.obstacles[0].name, "north::l::c");
  EXPECT_TRUE(blocks(placed.obstacles[0], {20, -5, 1}, {20, 5, 1}));
  EXPECT_FALSE(blocks(placed.obstacles[0], {0, -5, 1}, {0, 5, 1}));
  EXPECT_EQ(placed.obstacles[1].name, "house::l::c");
  EXPECT_EQ(placed.obstacles[1].pose.position, (Vec3{9, 9, 9})) << "its own pose";
  EXPECT_THAT(placed.left_out, IsEmpty());
  EXPECT_THAT(world("<include><uri>model://house</uri><static>false</static></include>").obstacles, IsEmpty());
  EXPECT_THAT(world("<include><uri>https://fuel.example/house</uri></include>").left_out,
              ElementsAre(HasSubstr("https://fuel.example/house: is not there")));
}

TEST_F(SdfObstacles, AModelThatIncludesItselfEnds) {
  std::filesystem::create_directories(folder_ / "loop");
  write(
      "loop/model.sdf",
      "<sdf version='1.9'><model name='m'><static>1</static><include><uri>model://loop</uri></include></model></sdf>");
  const SdfWorld world = read_sdf_world(
      write("w.sdf", "<sdf version='1.9'><world name='w'><include><uri>model://loop</uri></include></world></sdf>"));
  EXPECT_THAT(world.left_out, ElementsAre(HasSubstr("is included by itself")));
}

TEST_F(SdfObstacles, ThatCannotBeReadAreNamed) {
  EXPECT_THAT(with_shape("<mesh><uri>model://m/m.dae</uri></mesh>").left_out,
              ElementsAre("mesh model://m/m.dae: is not found: only files are read"));
  EXPECT_THAT(with_shape("<mesh><uri>gone.obj</uri></mesh>").left_out,
              ElementsAre(HasSubstr("mesh gone.obj: is not found")));
  write("empty.obj", "");
  EXPECT_THAT(with_shape("<mesh><uri>empty.obj</uri></mesh>").left_out, ElementsAre(HasSubstr("has no triangles")));
  EXPECT_THAT(with_shape("<capsule/>").left_out, ElementsAre(HasSubstr("a capsule is not supported as an obstacle")));
}

std::string included(const std::string& uri) {
  return "<include><uri>" + uri + "</uri></include>";
}

TEST_F(SdfObstacles, AMissingModelIsNamedOnceWithItsCount) {
  std::string includes;
  for (int i = 0; i < 40; ++i) {
    includes += included("model://tree") + (i % 4 == 0 ? included("https://fuel.gazebosim.org/1.0/o/models/Oak") : "");
  }
  const SdfWorld world =
      read_sdf_world(write("w.sdf", "<sdf version='1.9'><world name='w'>" + includes + "</world></sdf>"));
  EXPECT_THAT(
      world.left_out,
      ElementsAre("model://tree: is not found: models are read beside the world and in GZ_SIM_RESOURCE_PATH (40 "
                  "times)",
                  "https://fuel.gazebosim.org/1.0/o/models/Oak: is not there: Gazebo has not downloaded it to "
                  "GZ_FUEL_CACHE_PATH, ~/.gz/fuel or ~/.ignition/fuel (10 times)"));
}

// As gz-fuel-tools keeps models (LocalCache.cc): SERVER/OWNER/models/NAME/VERSION.
TEST_F(SdfObstacles, ModelsOfFuelAreReadWhereGazeboKeepsThem) {
  const auto keep = [this](const std::string& cache, const std::string& name, double size) {
    const auto folder = folder_ / cache / "fuel.gazebosim.org/openrobotics/models" / name;
    std::filesystem::create_directories(folder / "meshes");
    std::ofstream(folder / "model.sdf") << "<sdf version='1.9'><model name='m'><static>1</static><link "
                                           "name='l'><collision name='c'><geometry><box><size>"
                                        << size << " 1 1</size></box></geometry></collision></link></model></sdf>";
  };
  keep("given", "park bench/1", 1);
  keep("given", "park bench/12", 12);
  keep("given", "park bench/9", 9);
  keep("home/.gz/fuel", "oak tree/3", 3);
  keep("home/.ignition/fuel", "pine/2", 2);
  ::setenv("GZ_FUEL_CACHE_PATH", (folder_ / "given").c_str(), 1);
  const std::string home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
  ::setenv("HOME", (folder_ / "home").c_str(), 1);
  const auto length = [this](const std::string& uri) {
    const SdfWorld world =
        read_sdf_world(write("w.sdf", "<sdf version='1.9'><world name='w'>" + included(uri) + "</world></sdf>"));
    EXPECT_THAT(world.left_out, IsEmpty());
    const Box* const box = world.obstacles.empty() ? nullptr : std::get_if<Box>(&world.obstacles[0].shape);
    return box == nullptr ? 0 : box->high.x - box->low.x;
  };
  EXPECT_EQ(length("https://fuel.gazebosim.org/1.0/OpenRobotics/models/Park Bench"), 12) << "the newest";
  EXPECT_EQ(length("https://fuel.gazebosim.org/1.0/OpenRobotics/models/Park%20Bench/9"), 9);
  EXPECT_EQ(length("https://fuel.gazebosim.org/1.0/OpenRobotics/models/Park Bench/tip"), 12);
  EXPECT_EQ(length("https://fuel.ignitionrobotics.org/1.0/openrobotics/models/oak tree"), 3) << "its former name";
  EXPECT_EQ(length("https://fuel.gazebosim.org/1.0/OpenRobotics/models/Pine/2/files/model.sdf"), 2);

  // Its own mesh, by the name of the model and by its address.
  const auto bench = folder_ / "given/fuel.gazebosim.org/openrobotics/models/park bench/12";
  std::ofstream(bench / "meshes/b.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  for (const char* mesh : {"model://park_bench/meshes/b.obj", "meshes/b.obj",
                           "https://fuel.gazebosim.org/1.0/OpenRobotics/models/Park Bench/12/files/meshes/b.obj"}) {
    std::ofstream(bench / "model.sdf") << "<sdf version='1.9'><model name='m'><static>1</static><link "
                                          "name='l'><collision name='c'><geometry><mesh><uri>"
                                       << mesh << "</uri></mesh></geometry></collision></link></model></sdf>";
    const SdfWorld world = read_sdf_world(write(
        "w.sdf", "<sdf version='1.9'><world name='w'>" +
                     included("https://fuel.gazebosim.org/1.0/OpenRobotics/models/Park Bench") + "</world></sdf>"));
    EXPECT_THAT(world.left_out, IsEmpty()) << mesh;
    EXPECT_EQ(world.obstacles.size(), 1U) << mesh;
  }
  EXPECT_FALSE(
      find_resource("https://fuel.gazebosim.org/1.0/OpenRobotics/models/Pine/2/files/../../x", folder_ / "w.sdf"));
  ::unsetenv("GZ_FUEL_CACHE_PATH");
  ::setenv("HOME", home.c_str(), 1);
}

TEST_F(SdfObstacles, FilesThatAreNoWorldAreRefused) {
  EXPECT_THAT([&] { read_sdf_world(folder_ / "none.sdf"); }, ThrowsMessage<std::runtime_error>(HasSubstr("none.sdf")));
  const auto model = write("m.sdf", "<sdf version='1.9'><model name='m'><link name='l'/></model></sdf>");
  EXPECT_THAT([&] { read_sdf_world(model); }, ThrowsMessage<std::runtime_error>(HasSubstr("has no <world>")));
  const auto garbage = write("g.sdf", "<sdf version='1.9'><wor");
  EXPECT_THAT([&] { read_sdf_world(garbage); }, ThrowsMessage<std::runtime_error>(HasSubstr("cannot be read as SDF")));
}

}  // namespace
}  // namespace hilgate::gz
