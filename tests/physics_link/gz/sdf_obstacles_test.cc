// SPDX-License-Identifier: Apache-2.0
#include "physics_link/gz/sdf_obstacles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstring>
#include <fstream>

#include "physics_link/gz/mesh_box.h"

namespace hilgate::gz {
namespace {

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

TEST_F(SdfObstacles, AreWhatStandsStillAndIsNoGround) {
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

TEST_F(SdfObstacles, BehindOrBeforeARayBlockNothing) {
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

TEST_F(SdfObstacles, MeshesAreTheBoxesAroundThem) {
  write("m.obj", "# a mesh\nv -1 0 0\nv 1 2 0\nvn 9 9 9\nv 0 0 3\nf 1 2 3\n");
  const SdfWorld world = with_shape("<mesh><uri>m.obj</uri><scale>2 1 1</scale></mesh>");
  EXPECT_TRUE(blocked(world, {1.9, -5, 1}, {1.9, 5, 1}));
  EXPECT_FALSE(blocked(world, {2.1, -5, 1}, {2.1, 5, 1}));
  std::string binary(84, ' ');
  const std::uint32_t one = 1;
  std::memcpy(binary.data() + 80, &one, 4);
  const float numbers[12] = {0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 5, 6};
  binary.append(reinterpret_cast<const char*>(numbers), sizeof(numbers));
  binary.append(2, '\0');
  const Box box = mesh_box(write("b.stl", binary));
  EXPECT_EQ(box.high, (Vec3{4, 5, 6}));
  const Box text = mesh_box(write("t.STL", "solid\nfacet\nvertex 1 2 3\nvertex -1 0 0\nvertex 0 0 0\nendfacet\n"));
  EXPECT_EQ(text.low, (Vec3{-1, 0, 0}));
  EXPECT_EQ(text.high, (Vec3{1, 2, 3}));
}

TEST_F(SdfObstacles, ThatCannotBeReadAreNamed) {
  EXPECT_THAT(with_shape("<mesh><uri>model://m/m.dae</uri></mesh>").left_out,
              ElementsAre(HasSubstr("m::l::c: its mesh is at model://m/m.dae, but only files are read")));
  EXPECT_THAT(with_shape("<mesh><uri>gone.obj</uri></mesh>").left_out, ElementsAre(HasSubstr("cannot be opened")));
  write("empty.obj", "");
  EXPECT_THAT(with_shape("<mesh><uri>empty.obj</uri></mesh>").left_out, ElementsAre(HasSubstr("has no corners")));
  EXPECT_THAT(with_shape("<box></box>").left_out, ElementsAre(HasSubstr("its box has no size")));
  EXPECT_THAT(with_shape("<capsule/>").left_out, ElementsAre(HasSubstr("a capsule is not supported as an obstacle")));
}

TEST_F(SdfObstacles, FilesThatAreNoWorldAreRefused) {
  EXPECT_THAT([&] { read_sdf_world(folder_ / "none.sdf"); }, ThrowsMessage<std::runtime_error>(HasSubstr("none.sdf")));
  const auto model = write("m.sdf", "<sdf><model name='m'/></sdf>");
  EXPECT_THAT([&] { read_sdf_world(model); }, ThrowsMessage<std::runtime_error>(HasSubstr("has no <world>")));
  const auto garbage = write("g.sdf", "<sdf><wor");
  EXPECT_THAT([&] { read_sdf_world(garbage); }, ThrowsMessage<std::runtime_error>(HasSubstr("cannot be read as XML")));
}

}  // namespace
}  // namespace hilgate::gz
