// SPDX-License-Identifier: Apache-2.0
#include "tests/netns/site_lab.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/support/eventually.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::array<const char*, SiteLab::kGateways> kNames = {"a", "b", "c"};
constexpr std::size_t kFrameData = 400;
constexpr auto kSitePace = 200us;  // of frames

std::string port_of(std::size_t robot) {
  return fmt::format("hg-r{}", robot);
}

}  // namespace

SiteLab::SiteLab(const std::string& yaml, std::vector<std::string> radios, bool together) : SiteLab(yaml, together) {
  radios_ = std::move(radios);
}

SiteLab::SiteLab(const std::string& yaml, bool together, SiteLabKeys keys)
    : together_(together), yaml_(yaml), keys_(std::move(keys)) {
  switch_.run_ok("ip link add br0 type bridge && ip link set br0 up");
  for (std::size_t i = 0; i < (together ? 1 : kGateways); ++i) {
    gateways_.push_back(std::make_unique<NetNs>("gw"));
    const std::string end = fmt::format("to-{}", kNames[i]);
    VethPair({gateways_[i].get(), "site", {}, {address(i) + "/24"}}, {&switch_, end});
    switch_.run_ok(fmt::format("ip link set {} master br0", end));
  }
  for (std::size_t i = 0; i < kRobots; ++i) {
    robots_.push_back(std::make_unique<NetNs>("robot"));
    VethPair({gateways_[together ? 0 : i / 2].get(), port_of(i)},
             {robots_[i].get(), "eth0", robot_mac(static_cast<unsigned>(i)).text()});
  }
  processes_.resize(gateways_.size());
}

std::string SiteLab::file(const std::string& yaml, const std::string& site_keys) const {
  std::string text = "clock: {source: tai}\n";
  if (!together_) {
    text +=
        "site:\n" + keys_.site + site_keys + "  clock_within: 100ms\n  gateways:\n";  // a busy machine, and one clock
    for (std::size_t i = 0; i < kGateways; ++i) {
      text += fmt::format("    {}: {{address: {}}}\n", kNames[i], address(i));
    }
  }
  std::string robots = "robots:\n";
  text += "ports:\n";
  for (std::size_t i = 0; i < kRobots; ++i) {
    text += fmt::format("  p{}: {{interface: {}{}}}\n", i, port_of(i),
                        together_ ? "" : fmt::format(", gateway: {}", kNames[i / 2]));
    robots += fmt::format("  r{}: {{port: p{}, mac: \"{}\"{}{}{}}}\n", i, i, robot_mac(static_cast<unsigned>(i)).text(),
                          keys_.ips ? ", ip: " + ipv4_of(static_cast<unsigned>(i + 1)).text() : "", keys_.robot,
                          radios_.empty() ? "" : ", radio: " + radios_[i]);
  }
  return folder_.write(text + robots + yaml);
}

std::string SiteLab::address(std::size_t gateway) {
  return fmt::format("192.0.2.{}", gateway + 1);
}

void SiteLab::start(std::size_t gateway) {
  start_with(gateway, yaml_);
}

void SiteLab::start_with(std::size_t gateway, const std::string& yaml) {
  start_file(gateway, file(yaml));
}

// The file of all names one key, which each gateway has in a folder of its own.
void SiteLab::start_with_key(std::size_t gateway, const std::string& key) {
  const std::filesystem::path named = folder_.path() / "site.key";
  std::ofstream(named) << key;
  std::filesystem::permissions(named, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  start_file(gateway, file(yaml_, key.empty() ? "  key: none\n" : "  key_file: site.key\n"));
}

void SiteLab::start_file(std::size_t gateway, const std::string& file) {
  std::vector<std::string> command = {hilgate_program(), "run", file};
  if (!together_) {
    command.insert(command.end(), {"--gateway", kNames[gateway]});
  }
  processes_[gateway] = gateways_[gateway]->start(command);
}

std::string SiteLab::run(std::size_t gateway) const {
  return together_ ? folder_.run() : fmt::format("{}-{}", folder_.run(), kNames[gateway]);
}

nlohmann::json SiteLab::status(std::size_t gateway) const {
  try {
    return nlohmann::json::parse(control_request(control_socket(run(gateway)), {{"command", "status"}}).dump());
  } catch (const std::runtime_error&) {
    return {};
  }
}

std::string SiteLab::state(std::size_t of, std::size_t about) const {
  const nlohmann::json status = this->status(of);
  if (status.is_object() && status.contains("site")) {
    for (const nlohmann::json& gateway : status["site"]["gateways"]) {
      if (gateway["name"] == kNames[about]) {
        return gateway["state"];
      }
    }
  }
  return {};
}

bool SiteLab::until(std::size_t gateway, const std::function<bool(const nlohmann::json&)>& good,
                    std::chrono::milliseconds limit) const {
  return eventually(
      [&] {
        const nlohmann::json status = this->status(gateway);
        return status.is_object() && good(status);
      },
      limit);
}

bool SiteLab::until_answers(std::size_t gateway) const {
  return until(gateway, [](const nlohmann::json&) { return true; });
}

bool SiteLab::until_state(std::size_t of, std::size_t about, const std::string& state,
                          std::chrono::milliseconds limit) const {
  return eventually([&] { return this->state(of, about) == state; }, limit);
}

bool SiteLab::until_all_here() const {
  for (std::size_t i = 0; i < gateways_.size(); ++i) {
    for (std::size_t j = 0; j < gateways_.size(); ++j) {
      if (i != j && !until_state(i, j, "here", 60s)) {
        return false;
      }
    }
  }
  return true;
}

void SiteLab::part(std::size_t gateway) const {
  switch_.run_ok(fmt::format("ip link set to-{} down", kNames[gateway]));
}

void SiteLab::join(std::size_t gateway) const {
  switch_.run_ok(fmt::format("ip link set to-{} up", kNames[gateway]));
}

Finished SiteLab::command(std::size_t gateway, std::vector<std::string> words) const {
  if (words.size() == 1) {
    words.push_back(run(gateway));  // `reload RUN`
  } else {
    words.insert(words.begin() + 1, {"--run", run(gateway)});
  }
  words.insert(words.begin(), hilgate_program());
  return test::run(words);
}

bool SiteLab::until_commands(std::size_t gateway) const {
  return until(gateway, [](const nlohmann::json& status) {
    const nlohmann::json& others = status["site"]["gateways"];
    return others[0].value("commands", false) && others[1].value("commands", false);
  });
}

std::vector<Bytes> SiteLab::send(std::size_t from, std::size_t to, std::size_t frames) const {
  const RawSocket sender(*robots_[from], "eth0");
  const RawSocket receiver(*robots_[to], "eth0", 0x0800);
  for (std::size_t i = 0; i < frames; ++i) {
    sender.send(udp_frame(static_cast<unsigned>(from + 1), static_cast<unsigned>(to + 1), kFrameData, i + 1));
    std::this_thread::sleep_for(kSitePace);
  }
  std::vector<Bytes> arrived;
  while (auto next = receiver.receive(1s)) {
    arrived.push_back(std::move(*next));
  }
  return arrived;
}

}  // namespace hilgate::test
