// SPDX-License-Identifier: Apache-2.0
// Programs as Debian ships them, unmodified, between two robots of a lab: over wire, over a good radio, and over a link
// that delays, loses, damages, repeats and reorders.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/eventually.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr const char* kBlue = "10.79.0.2";

struct KindOfLink {
  const char* name;
  const char* yaml;
};
constexpr KindOfLink kLinks[] = {
    {"wire", "netsim: {type: wire}\n"},
    {"radio",
     "physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 2m]}], blue: [{at: 0s, position: [30m, "
     "0m, 2m]}]}}\nnetsim: {type: embedded}\n"},
    {"bad link",
     "netsim: {type: wire}\nlinks:\n  - from: '*'\n    to: '*'\n    delay: {base: 10ms, distribution: normal, "
     "mean: 2ms, deviation: 1ms}\n"
     "    loss: {model: gilbert_elliott_time, good_for: 3s, bad_for: 60ms}\n    ber: 1e-6\n    policy: fcs_drop\n"
     "    duplicate: 1 %\n    reorder: {probability: 1 %, by: 3ms}\n"},
};

/// A lab of two robots with a gateway between them, for all tests of the program; and a folder for their files.
class Lab {
 public:
  Lab() {
    std::string name = (std::filesystem::temp_directory_path() / "hgt-apps-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("mkdtemp");
    }
    folder_ = name;
    write(kLinks[0]);
    run_ok({hilgate_program(), "lab", "up", file_});
    start_gateway();
  }
  ~Lab() {
    gateway_.reset();
    test::run({hilgate_program(), "lab", "down", file_});
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  void use(const KindOfLink& link) {
    write(link);
    start_gateway();
  }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] nlohmann::ordered_json status() const { return status_of(run_.run()); }
  [[nodiscard]] nlohmann::ordered_json status_when(
      const std::function<bool(const nlohmann::ordered_json&)>& good) const {
    return test::status_when(run_.run(), good, 10s);
  }
  /// A shell's command line in a robot's namespace.
  [[nodiscard]] Finished run(const std::string& robot, const std::string& command) const {
    return test::run(words(robot, command));
  }
  [[nodiscard]] std::unique_ptr<Process> start(const std::string& robot, const std::string& command) const {
    return std::make_unique<Process>(words(robot, "exec " + command));
  }

 private:
  void start_gateway() {
    gateway_.reset();
    gateway_ = std::make_unique<Process>(std::vector<std::string>{hilgate_program(), "run", file_});
    if (!gateway_->wait_for_output("running", 30s)) {
      throw std::runtime_error(gateway_->output());
    }
  }
  [[nodiscard]] std::vector<std::string> words(const std::string& robot, const std::string& command) const {
    return {hilgate_program(), "lab", "exec", file_, robot, "--", "sh", "-c", "cd " + folder_ + " && " + command};
  }
  void write(const KindOfLink& link) {
    const bool is_radio = std::string(link.yaml).find("embedded") != std::string::npos;
    const char* const radio = is_radio ? ", radio: wifi_11n_2g4_adhoc" : "";
    file_ = run_.write(
        fmt::format("ports: {{r: {{interface: hgr{0}}}, b: {{interface: hgb{0}}}}}\n"
                    "robots:\n  red: {{port: r, mac: \"02:68:67:01:00:01\", ip: 10.79.0.1{1}}}\n"
                    "  blue: {{port: b, mac: \"02:68:67:01:00:02\", ip: {3}{1}}}\n{2}lab: {{mtu: 1500 B}}\ndds: {{}}\n",
                    ::getpid(), radio, link.yaml, kBlue));
  }

  RunFolder run_;
  std::string folder_;
  std::string file_;
  std::unique_ptr<Process> gateway_;
};

class Applications : public GatewayTest {
 protected:
  static void TearDownTestSuite() { lab_.reset(); }
  void SetUp() override {
    GatewayTest::SetUp();
    if (!IsSkipped() && !lab_) {
      lab_ = std::make_unique<Lab>();
    }
  }
  static Lab& lab() { return *lab_; }

  /// Until the command says so with its status; false after 40 s.
  static bool await(const std::string& robot, const std::string& command) {
    return eventually([&] { return lab().run(robot, command).status == 0; }, 40s);
  }
  static void write(const std::string& name, const std::string& text) {
    std::ofstream(std::filesystem::path(lab().folder()) / name) << text;
  }
  static std::string read(const std::string& name) {
    std::ifstream stream(std::filesystem::path(lab().folder()) / name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  /// Bytes that look random, the same each time.
  static void write_noise(const std::string& name, std::size_t bytes) {
    std::string noise;
    std::uint64_t state = 1;
    while (noise.size() < bytes) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      noise += static_cast<char>(state >> 56U);
    }
    write(name, noise);
  }
  /// Runs `body` once over each kind of link.
  template <class Body>
  static void over_each_link(Body body) {
    for (const KindOfLink& link : kLinks) {
      SCOPED_TRACE(link.name);
      lab().use(link);
      body();
    }
  }

 private:
  static std::unique_ptr<Lab> lab_;
};
std::unique_ptr<Lab> Applications::lab_;

// ---- ROS 1: the master on one robot ----

std::string ros(const char* robot_ip, const std::string& command) {
  return fmt::format("env ROS_HOME=$PWD/ros ROS_LOG_DIR=$PWD/ros/log ROS_MASTER_URI=http://{}:11311 ROS_IP={} {}",
                     kBlue, robot_ip, command);
}
std::string on_red(const std::string& command) {
  return ros("10.79.0.1", command);
}
std::string on_blue(const std::string& command) {
  return ros(kBlue, command);
}

TEST_F(Applications, Ros1TopicsServicesAndParameters) {
  write("service.py",
        "import rospy, std_srvs.srv as s\n"
        "rospy.init_node('service', disable_signals=True)\n"
        "rospy.Service('add', s.SetBool, lambda asked: s.SetBoolResponse(asked.data, 'done'))\n"
        "rospy.spin()\n");
  lab().use(kLinks[0]);
  const auto core = lab().start("blue", on_blue("roscore"));
  ASSERT_TRUE(await("red", on_red("rosparam list"))) << core->output();
  const auto service = lab().start("blue", on_blue("/usr/bin/python3 service.py"));
  const auto topic = lab().start("blue", on_blue("rostopic pub -r 50 /chatter std_msgs/String hello"));
  ASSERT_TRUE(await("red", on_red("rosservice list") + " | grep -q /add")) << service->output();
  ASSERT_TRUE(await("red", on_red("rostopic list") + " | grep -q /chatter")) << topic->output();
  over_each_link([] {
    EXPECT_EQ(lab().run("red", on_red("timeout 40 rostopic echo -n 50 /chatter | grep -c hello")).output, "50\n");
    EXPECT_THAT(lab().run("red", on_red("timeout 40 rosservice call /add true")).output,
                HasSubstr("message: \"done\""));
    EXPECT_EQ(lab().run("red", on_red("timeout 40 rosparam set /speed 1.5")).status, 0);
    EXPECT_EQ(lab().run("blue", on_blue("timeout 40 rosparam get /speed")).output, "1.5\n");
    EXPECT_EQ(lab().run("blue", on_blue("timeout 40 rosparam delete /speed")).status, 0);
  });
  core->stop(SIGINT);
}

// ---- Cyclone DDS: discovery by multicast, samples that are acknowledged ----

TEST_F(Applications, CycloneDdsLosesNoSample) {
  write("dds.xml",
        "<CycloneDDS><Domain><General><Interfaces><NetworkInterface "
        "name=\"eth0\"/></Interfaces></General></Domain></CycloneDDS>");
  over_each_link([] {
    const auto subscriber = lab().start("blue", "env CYCLONEDDS_URI=file://dds.xml ddsperf sub");
    const Finished publisher = lab().run("red", "env CYCLONEDDS_URI=file://dds.xml ddsperf -D 5 pub 100Hz size 200");
    EXPECT_EQ(publisher.status, 0) << publisher.output;
    // The publisher has left; its last message may be on its way.
    const auto dds = lab().status_when([](const auto& now) { return now.at("dds").at("left") != 0; }).at("dds");
    EXPECT_EQ(dds.at("left"), 1) << dds;
    ASSERT_EQ(dds.at("participants").size(), 1u) << dds;
    EXPECT_EQ(dds.at("participants")[0].at("robot"), "blue");
    EXPECT_EQ(dds.at("participants")[0].at("vendor"), "Cyclone DDS");
    EXPECT_EQ(dds.at("participants")[0].at("process"), "ddsperf");
    EXPECT_TRUE(subscriber->wait_for_output("gone", 20s)) << subscriber->output() << publisher.output;
    const std::string heard = subscriber->output();
    const std::size_t last = heard.rfind(" total ");
    ASSERT_NE(last, std::string::npos) << heard;
    const std::size_t samples = std::stoul(heard.substr(last + 7));
    EXPECT_GT(samples, 200u) << heard;
    EXPECT_THAT(heard.substr(last, heard.find(" delta", last) - last), HasSubstr(" lost 0")) << heard;
  });
}

// ---- Fast DDS, ROS 2's own choice: its library as Debian ships it, in programs of ours ----

#ifdef HILGATE_FASTDDS_PEER
TEST_F(Applications, FastDdsLosesNoSample) {
  over_each_link([] {
    const auto listener = lab().start("blue", HILGATE_FASTDDS_PEER " hear");
    ASSERT_TRUE(listener->wait_for_output("listening", 20s)) << listener->output();
    const Finished speaker = lab().run("red", HILGATE_FASTDDS_PEER " say 400 1");
    EXPECT_EQ(speaker.output, "said 400\n");
    EXPECT_EQ(listener->wait(40s), 0) << listener->output();
    EXPECT_THAT(listener->output(), HasSubstr("heard 400, 400 of them in order"));
    const auto dds = lab().status().at("dds");
    EXPECT_EQ(dds.at("left"), 2) << dds;
  });
}
#endif

// ---- files ----

TEST_F(Applications, RsyncOverSshIsBitIdentical) {
  write_noise("file", 1'500'000);
  const bool is_made = std::filesystem::create_directory("/run/sshd");  // which sshd asks for
  ASSERT_EQ(lab()
                .run("blue",
                     "ssh-keygen -q -t ed25519 -N '' -f host && ssh-keygen -q -t ed25519 -N '' -f id && "
                     "cp id.pub allowed")
                .status,
            0);
  const auto server = lab().start(
      "blue",
      "/usr/sbin/sshd -D -e -f /dev/null -p 2222 -h $PWD/host -o AuthorizedKeysFile=$PWD/allowed -o StrictModes=no "
      "-o UsePAM=yes -o PidFile=none");
  ASSERT_TRUE(server->wait_for_output("Server listening", 20s)) << server->output();
  const std::string ssh = "ssh -p 2222 -i id -F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null";
  over_each_link([&ssh] {
    std::filesystem::remove(lab().folder() + "/copy");
    const Finished copied =
        lab().run("red", fmt::format("rsync -e '{}' file root@{}:{}/copy", ssh, kBlue, lab().folder()));
    EXPECT_EQ(copied.status, 0) << copied.output;
    EXPECT_TRUE(read("copy") == read("file")) << copied.output;
  });
  server->stop();
  if (is_made) {
    std::filesystem::remove("/run/sshd");
  }
}

TEST_F(Applications, HttpDownloadsAreBitIdentical) {
  write_noise("page", 1'000'000);
  const auto server = lab().start("blue", "/usr/bin/python3 -m http.server 8080");
  over_each_link([] {
    std::filesystem::remove(lab().folder() + "/got");
    const Finished got = lab().run(
        "red",
        fmt::format("curl -sS --retry 20 --retry-delay 1 --retry-connrefused -o got http://{}:8080/page", kBlue));
    EXPECT_EQ(got.status, 0) << got.output;
    EXPECT_TRUE(read("got") == read("page"));
  });
}

// ---- messages ----

TEST_F(Applications, MqttDeliversInOrderWithEveryQuality) {
  write("broker", "listener 1883\nallow_anonymous true\nuser root\n");
  std::string lines;
  for (int i = 0; i < 200; ++i) {
    lines += fmt::format("{}\n", i);
  }
  write("lines", lines);
  const auto broker = lab().start("blue", "mosquitto -v -c broker");
  ASSERT_TRUE(broker->wait_for_output("running", 20s)) << broker->output();
  over_each_link([&broker, &lines] {
    for (int quality = 0; quality < 3; ++quality) {
      const std::string topic = fmt::format("t{}-{}", quality, broker->output().size());
      const auto subscriber =
          lab().start("red", fmt::format("mosquitto_sub -h {} -t {} -q {} -C 200", kBlue, topic, quality));
      ASSERT_TRUE(broker->wait_for_output("\t" + topic + " (QoS", 30s)) << broker->output();
      const Finished sent =
          lab().run("red", fmt::format("mosquitto_pub -h {} -t {} -q {} -l < lines", kBlue, topic, quality));
      EXPECT_EQ(sent.status, 0) << sent.output;
      EXPECT_EQ(subscriber->wait(40s), 0) << subscriber->output();
      EXPECT_EQ(subscriber->output(), lines) << "quality " << quality;
    }
  });
}

// ---- names and addresses ----

// Each robot with a bus and a run folder of its own: avahi-daemon is made for one in a machine.
TEST_F(Applications, MdnsFindsHostsAndServices) {
  std::vector<std::unique_ptr<Process>> daemons;
  for (const std::string robot : {"red", "blue"}) {
    write("bus-" + robot, fmt::format("<busconfig><type>system</type><listen>unix:path={}/bus-{}.sock</listen>"
                                      "<auth>EXTERNAL</auth><policy context=\"default\"><allow send_destination=\"*\"/>"
                                      "<allow receive_sender=\"*\"/><allow own=\"*\"/></policy></busconfig>",
                                      lab().folder(), robot));
    write("avahi-" + robot,
          fmt::format("[server]\nhost-name={}\nallow-interfaces=eth0\nuse-ipv6=no\n[publish]\n[rlimits]\n", robot));
    daemons.push_back(lab().start(robot, fmt::format("dbus-daemon --config-file=bus-{} --nofork --nopidfile", robot)));
    ASSERT_TRUE(await(robot, fmt::format("test -S bus-{}.sock", robot))) << daemons.back()->output();
    daemons.push_back(lab().start(
        robot,
        fmt::format(
            "env DBUS_SYSTEM_BUS_ADDRESS=unix:path=$PWD/bus-{0}.sock unshare -m sh -c 'mkdir -p /run/avahi-daemon"
            " && mount -t tmpfs tmpfs /run/avahi-daemon && exec avahi-daemon --no-drop-root --no-chroot "
            "--no-rlimits -f $PWD/avahi-{0}'",
            robot)));
    ASSERT_TRUE(daemons.back()->wait_for_output("Server startup complete", 30s)) << daemons.back()->output();
  }
  const auto service = lab().start("blue",
                                   "env DBUS_SYSTEM_BUS_ADDRESS=unix:path=$PWD/bus-blue.sock avahi-publish -s patrol "
                                   "_http._tcp 80");
  ASSERT_TRUE(service->wait_for_output("Established", 30s)) << service->output();
  const std::string ask = "env DBUS_SYSTEM_BUS_ADDRESS=unix:path=$PWD/bus-red.sock timeout 30 ";
  over_each_link([&ask] {
    EXPECT_TRUE(await("red", ask + "avahi-resolve -4 -n blue.local | grep -q 10.79.0.2"));
    EXPECT_TRUE(await("red", ask + "avahi-browse -rpt _http._tcp | grep -q '^=.*;patrol;.*;blue.local;10.79.0.2;80;'"));
  });
}

TEST_F(Applications, DhcpLeasesAnAddress) {
  write("hook", "#!/bin/sh\necho \"$reason $new_ip_address\" >> lease\n");
  std::filesystem::permissions(lab().folder() + "/hook", std::filesystem::perms::owner_all);
  write("empty", "");
  const auto server =
      lab().start("blue",
                  "dnsmasq --no-daemon --port=0 --interface=eth0 --dhcp-range=10.79.0.100,10.79.0.110,1h "
                  "--dhcp-leasefile=$PWD/leases --pid-file= --conf-file=$PWD/empty --user=root");
  ASSERT_TRUE(server->wait_for_output("DHCP, IP range", 20s)) << server->output();
  over_each_link([&server] {
    std::filesystem::remove(lab().folder() + "/lease");
    std::filesystem::remove(lab().folder() + "/client");
    const auto client =
        lab().start("red", "dhclient -4 -1 -d -sf $PWD/hook -lf $PWD/client -pf $PWD/client.pid -cf $PWD/empty eth0");
    EXPECT_TRUE(client->wait_for_output("bound to 10.79.0.1", 40s)) << client->output() << server->output();
    EXPECT_THAT(read("lease"), HasSubstr("BOUND 10.79.0.1"));
  });
}

// ---- time: both sides run free, nobody's clock is steered ----

TEST_F(Applications, ChronyMeasuresTheServersClock) {
  write("server.conf",
        fmt::format("local stratum 5\nallow\ncmdport 0\nbindcmdaddress /\npidfile {}/server.pid\n", lab().folder()));
  const auto server = lab().start("blue", "chronyd -x -d -f server.conf -u root");
  ASSERT_TRUE(server->wait_for_output("Disabled control of system clock", 20s)) << server->output();
  over_each_link([] {
    const Finished client =
        lab().run("red", fmt::format("timeout 50 chronyd -Q -t 40 -u root 'server {} iburst' 'cmdport 0' "
                                     "'bindcmdaddress /' \"pidfile $PWD/client.pid\"",
                                     kBlue));
    EXPECT_EQ(client.status, 0) << client.output;
    // Both are the clock of this machine: what is measured is half of what the two ways differ.
    const std::size_t wrong = client.output.find("System clock wrong by ");
    ASSERT_NE(wrong, std::string::npos) << client.output;
    EXPECT_LT(std::abs(std::stod(client.output.substr(wrong + 22))), 0.1) << client.output;
  });
}

}  // namespace
}  // namespace hilgate::test
