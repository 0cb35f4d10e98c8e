// SPDX-License-Identifier: Apache-2.0
#include "gateway/lab/lab_machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <variant>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "host/plain_file.h"
#include "host/process.h"
#include "host/shared_files.h"

namespace hilgate {
namespace {

namespace fs = std::filesystem;

constexpr const char* kQemu = "qemu-system-x86_64";
constexpr std::array<const char*, 2> kBundleEngines = {"runc", "crun"};

[[noreturn]] void refuse_machine(const LabRobot& robot, const std::string& why) {
  throw std::runtime_error(fmt::format("robot '{}': {}", robot.robot, why));
}

bool is_installed(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/sbin:/usr/bin:/sbin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((fs::path(folder) / program).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

void require_readable(const LabRobot& robot, const char* what, const fs::path& file, int access) {
  if (::access(file.c_str(), access) != 0) {
    const int error = errno;
    refuse_machine(robot, fmt::format("{} {}: {}", what, file.string(), std::strerror(error)));
  }
  if (fs::is_directory(file)) {
    refuse_machine(robot, fmt::format("{} {}: is a folder, not a file", what, file.string()));
  }
}

void check_vm(const LabRobot& robot, const VmConfig& vm) {
  if (!is_installed(kQemu)) {
    refuse_machine(robot, fmt::format("{} is not installed, which runs virtual machines; install the package "
                                      "qemu-system-x86",
                                      kQemu));
  }
  if (!vm.image.empty()) {
    require_readable(robot, "image", vm.image, vm.keep ? R_OK | W_OK : R_OK);
  }
  if (!vm.kernel.empty()) {
    require_readable(robot, "kernel", vm.kernel, R_OK);
  }
  if (!vm.initrd.empty()) {
    require_readable(robot, "initrd", vm.initrd, R_OK);
  }
}

nlohmann::json specification_of(const LabRobot& robot, const ContainerConfig& container) {
  const fs::path file = container.bundle / "config.json";
  require_readable(robot, "bundle's", file, R_OK);
  try {
    auto json = nlohmann::json::parse(read_plain_file(file));
    const fs::path root = fs::absolute(container.bundle / json.at("root").at("path").get<std::string>());
    if (!fs::is_directory(root)) {
      refuse_machine(robot, fmt::format("{}: root.path: {} is no folder", file.string(), root.string()));
    }
    json["root"]["path"] = root.string();
    json.at("process")["terminal"] = false;
    if (!container.command.empty()) {
      json["process"]["args"] = container.command;
    }
    auto& namespaces = json.at("linux")["namespaces"];
    namespaces.erase(std::remove_if(namespaces.begin(), namespaces.end(),
                                    [](const auto& one) { return one.at("type") == "network"; }),
                     namespaces.end());
    namespaces.push_back({{"type", "network"}, {"path", "/run/netns/" + robot.netns}});
    return json;
  } catch (const nlohmann::json::exception& error) {
    refuse_machine(robot, fmt::format("{} is no configuration of an OCI bundle ({}); `runc spec` makes one",
                                      file.string(), error.what()));
  }
}

void check_container(const LabRobot& robot, const ContainerConfig& container) {
  const std::string engine = engine_of_machine(robot);
  if (!is_installed(engine)) {
    refuse_machine(robot, container.image.empty()
                              ? "neither runc nor crun is installed, which run OCI bundles; install the package runc"
                              : "podman is not installed, which has the images of containers; install the package "
                                "podman");
  }
  if (container.image.empty()) {
    specification_of(robot, container);
  } else if (const ProcessResult has =
                 run_process(std::vector<std::string>{"podman", "image", "exists", container.image});
             has.status != 0) {
    refuse_machine(robot,
                   fmt::format("podman has no image '{0}'{1}; get it with `podman pull {0}` or `podman load`, since "
                               "the lab downloads nothing",
                               container.image, has.errors.empty() ? "" : " (" + has.errors + ")"));
  }
}

fs::path file_of_machine(const std::string& lab, const LabRobot& robot, const char* ending) {
  return machine_folder(lab) / (robot.robot + ending);
}

/// Within QEMU's lists a comma is written twice.
std::string listed(const std::string& text) {
  std::string twice;
  for (const char letter : text) {
    twice.append(letter == ',' ? 2 : 1, letter);
  }
  return twice;
}

const char* format_of_image(const fs::path& image) {
  std::array<char, 4> magic{};
  std::ifstream(image, std::ios::binary).read(magic.data(), magic.size());
  return std::string_view(magic.data(), magic.size()) == "QFI\xfb" ? "qcow2" : "raw";  // qcow2's header, field 1
}

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

bool is_emulated(const VmConfig& vm) {
  using Processor = VmConfig::Processor;
  return vm.processor == Processor::kEmulated ||
         (vm.processor == Processor::kAuto && ::access("/dev/kvm", R_OK | W_OK) != 0);
}

Words network_of_vm(const LabPlan& plan, const LabRobot& robot, bool emulated) {
  Words words;
  if (robot.tap) {
    words = {"-netdev", fmt::format("tap,id=net,fd={}", kTapDescriptor)};
  } else {
    words = {"-chardev",
             fmt::format("socket,id=port,path={},{}", listed(robot.socket),
                         robot.listens ? "server=on,wait=off" : "reconnect=1"),
             "-netdev", "vhost-user,id=net,chardev=port"};
  }
  // Frames that the gateway takes are those of a cable: checksums in them, none longer than the MTU. QEMU 7.2 looks for
  // KVM's interrupts where a vhost-user device has MSI-X, and ends by signal 11 where the processor is emulated.
  append(words,
         {"-device", fmt::format("virtio-net-pci,netdev=net,romfile=,host_mtu={}{},csum=off,gso=off,guest_csum=off,"
                                 "guest_tso4=off,guest_tso6=off,guest_ecn=off,guest_ufo=off,host_tso4=off,"
                                 "host_tso6=off,host_ecn=off,host_ufo=off{}",
                                 plan.mtu, robot.mac.empty() ? "" : ",mac=" + robot.mac,
                                 emulated && !robot.tap ? ",vectors=0" : "")});
  return words;
}

Words command_of_vm(const LabPlan& plan, const LabRobot& robot, const VmConfig& vm) {
  Words words = {kQemu,      "-name", listed(plan.name + "." + robot.robot), "-nodefaults", "-no-user-config",
                 "-display", "none"};
  // What QEMU may not: start programs, become another user.
  append(words, {"-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny"});
  append(words, {"-machine", "q35,memory-backend=memory", "-cpu", "max", "-smp", std::to_string(vm.cpus)});
  append(words, {"-accel", is_emulated(vm) ? "tcg,thread=multi" : "kvm"});
  append(words, {"-m", fmt::format("{}B", vm.memory), "-object",
                 fmt::format("memory-backend-memfd,id=memory,size={}B,share=on", vm.memory)});
  append(words, {"-chardev",
                 fmt::format("socket,id=console,path={},server=on,wait=off,logfile=/dev/fd/{}",
                             listed(file_of_machine(plan.name, robot, ".console")), STDOUT_FILENO),
                 "-serial", "chardev:console", "-device", "virtio-rng-pci"});
  if (!vm.image.empty()) {
    append(words, {"-drive", fmt::format("file={},format={},if=virtio,snapshot={}", listed(vm.image.string()),
                                         format_of_image(vm.image), vm.keep ? "off" : "on")});
  }
  if (!vm.kernel.empty()) {
    append(words, {"-kernel", vm.kernel.string(), "-append", vm.append});
  }
  if (!vm.initrd.empty()) {
    append(words, {"-initrd", vm.initrd.string()});
  }
  append(words, network_of_vm(plan, robot, is_emulated(vm)));
  append(words, vm.arguments);
  return words;
}

Words command_of_container(const LabPlan& plan, const LabRobot& robot, const ContainerConfig& container) {
  const std::string engine = engine_of_machine(robot);
  if (!container.image.empty()) {
    Words words = {engine,         "run",       "--rm",         "--replace",
                   "--name",       robot.netns, "--pull=never", "--network=ns:/run/netns/" + robot.netns,
                   container.image};
    append(words, container.command);
    return words;
  }
  const fs::path bundle = file_of_machine(plan.name, robot, "");
  make_group_folders(bundle);
  replace_plain_file(bundle / "config.json", specification_of(robot, container).dump());
  return {engine, "run", "--bundle", bundle.string(), robot.netns};
}

}  // namespace

fs::path machine_folder(const std::string& lab) {
  return fs::path("/run/hilgate-lab") / lab;  // in /run/hilgate each folder is a run's
}

std::string machine_kind(const LabRobot& robot) {
  return std::holds_alternative<VmConfig>(*robot.machine) ? "virtual machine" : "container";
}

void check_machine(const LabRobot& robot) {
  if (const auto* vm = std::get_if<VmConfig>(&*robot.machine)) {
    check_vm(robot, *vm);
  } else {
    check_container(robot, std::get<ContainerConfig>(*robot.machine));
  }
}

KeptProgram program_of_machine(const LabPlan& plan, const LabRobot& robot) {
  make_group_folders(machine_folder(plan.name));
  KeptProgram program{.command = {},
                      .netns = "",
                      .tap = "",
                      .output = file_of_machine(plan.name, robot, ".output"),
                      .end = file_of_machine(plan.name, robot, ".end")};
  if (const auto* vm = std::get_if<VmConfig>(&*robot.machine)) {
    program.command = command_of_vm(plan, robot, *vm);
    program.netns = robot.netns;
    program.tap = robot.tap ? robot.port_interface : "";
  } else {
    program.command = command_of_container(plan, robot, std::get<ContainerConfig>(*robot.machine));
  }
  return program;
}

std::string engine_of_machine(const LabRobot& robot) {
  const auto* container = std::get_if<ContainerConfig>(&*robot.machine);
  if (container == nullptr) {
    return "";
  }
  if (!container->image.empty()) {
    return "podman";
  }
  const auto* const installed = std::ranges::find_if(kBundleEngines, [](const char* one) { return is_installed(one); });
  return installed != kBundleEngines.end() ? *installed : kBundleEngines.front();
}

void remove_container(const std::string& engine, const std::string& name) {
  if (engine == "podman") {
    run_or_throw({engine, "rm", "--force", "--ignore", name});
  } else if (run_process(std::vector<std::string>{engine, "state", name}).status == 0) {
    run_or_throw({engine, "delete", "--force", name});
  }
}

std::string end_of_machine(const std::string& lab, const LabRobot& robot, const KeptProcess& keeper) {
  if (is_there(keeper)) {
    return "";
  }
  std::ifstream file(file_of_machine(lab, robot, ".end"));
  std::string how;
  if (!std::getline(file, how)) {
    how = "ended with the process beside it";
  }
  return fmt::format("its {} {}", machine_kind(robot), how);
}

}  // namespace hilgate
