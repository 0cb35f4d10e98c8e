// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/coverage_desk.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <asio/post.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "config/plain_text.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/run/simulation/coverage.h"
#include "gateway/run/simulation/simulation.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostCells = 10'000;
constexpr double kFarthest = 1e7;  // m

double number_within(const nlohmann::json& number, double least, double most, const char* name) {
  const double value = number.get<double>();
  if (!(value >= least && value <= most)) {
    throw std::runtime_error(fmt::format("{} is {:g}; allowed: {:g} to {:g}", name, value, least, most));
  }
  return value;
}

CellGrid read_grid(const nlohmann::json& request) {
  const auto cells = [&](const char* name) {
    return static_cast<std::size_t>(number_within(request.at(name), 1, kMostCells, name));
  };
  const CellGrid grid{.west_m = number_within(request.at("west_m"), -kFarthest, kFarthest, "west_m"),
                      .south_m = number_within(request.at("south_m"), -kFarthest, kFarthest, "south_m"),
                      .cell_m = number_within(request.at("cell_m"), 0.01, kFarthest, "cell_m"),
                      .columns = cells("columns"),
                      .rows = cells("rows")};
  if (grid.size() > kMostCells) {
    throw std::runtime_error(
        fmt::format("{} x {} cells are more than {}; use larger ones", grid.columns, grid.rows, kMostCells));
  }
  return grid;
}

Vec3 read_position(const nlohmann::json& position) {
  const auto axis = [&](std::size_t i) { return number_within(position.at(i), -kFarthest, kFarthest, "position_m"); };
  return {axis(0), axis(1), axis(2)};
}

/// The radio profile's name and how its antenna is mounted.
struct Transmitter {
  std::string radio;
  AntennaMount mount;
};

Transmitter transmitter_of(const Configuration& configuration, const std::string& name) {
  if (!std::holds_alternative<EmbeddedConfig>(configuration.netsim)) {
    throw std::runtime_error("the run has no radio models of the gateway's own (netsim)");
  }
  for (const RobotConfig& robot : configuration.robots) {
    if ((robot.name == name || robot.body == name) && !robot.radio.empty()) {
      return {robot.radio, robot.antenna};
    }
  }
  if (const AccessNetworkConfig* network = access_network(configuration); network != nullptr) {
    for (const AccessPointConfig& point : network->access_points) {
      if (point.name == name) {
        return {point.radio, point.antenna};
      }
    }
  }
  throw std::runtime_error(fmt::format("from: '{}' is no robot and no access point with a radio", shown(name)));
}

Json cells_json(const std::vector<CoverageCell>& cells, double CoverageCell::*value, double step) {
  Json json = Json::array();
  for (const CoverageCell& cell : cells) {
    json.push_back(cell.reachable ? Json(std::round(cell.*value / step) * step) : Json());
  }
  return json;
}

// A thread of the gateway must not have a realtime policy of its creator for work without a deadline.
void lower_priority() {
  const sched_param none{};
  static_cast<void>(sched_setscheduler(0, SCHED_IDLE, &none));  // else it keeps its priority
}

}  // namespace

struct CoverageDesk::Job {
  CoverageQuestion question;
  CellGrid grid;
  std::string radio;  // its profile is read on the background thread
  std::vector<std::string> folders;
  Json result;
  ControlServer::Answer answer;
  std::vector<CoverageCell> cells;
  std::string fault;
  std::jthread thread;  // its end makes the above whole
};

CoverageDesk::CoverageDesk(asio::io_context& context, BackgroundWork background)
    : context_(context), background_(std::move(background)) {}

CoverageDesk::~CoverageDesk() = default;  // threads stop after the cell at hand

void CoverageDesk::ask(const Configuration& configuration, std::shared_ptr<const SurveyedFloors> floors,
                       const nlohmann::json& request, ControlServer::Answer answer) {
  const auto job = std::make_shared<Job>();
  const auto name = request.at("from").get<std::string>();
  Transmitter transmitter = transmitter_of(configuration, name);
  job->grid = read_grid(request);
  job->radio = std::move(transmitter.radio);
  job->folders = profile_folders(configuration.profile_paths);
  job->question = {.sender = {},
                   .from = Pose{read_position(request.at("position_m")), {}, true},
                   .mount = transmitter.mount,
                   .receiver = {},
                   .height_m = number_within(request.at("height_m"), 0, 1e5, "height_m"),
                   .obstacles = obstacles_of(configuration),
                   .materials = materials_of(configuration),
                   .floors = std::move(floors)};
  for (const char* key : {"from", "position_m", "height_m", "west_m", "south_m", "cell_m", "columns", "rows"}) {
    job->result[key] = request.at(key);
  }
  job->result["radio"] = job->radio;
  job->answer = std::move(answer);
  if (!jobs_.empty()) {
    jobs_.back()->thread.request_stop();
  }
  jobs_.push_back(job);
  job->thread = background_([this, weak = std::weak_ptr(job), raw = job.get(),
                             control = std::this_thread::get_id()](const std::stop_token& stop) {
    try {
      if (std::this_thread::get_id() != control) {
        lower_priority();
      }
      raw->question.sender =
          std::make_shared<const RadioProfile>(load_radio_profile(find_radio_profile(raw->radio, raw->folders)));
      raw->question.receiver = raw->question.sender;
      raw->cells = coverage_of(raw->question, raw->grid, [&stop] { return !stop.stop_requested(); });
    } catch (const std::exception& error) {
      raw->fault = error.what();
    }
    asio::post(context_, [this, weak] {
      if (const auto whole = weak.lock()) {
        finish(whole);
      }
    });
  });
}

void CoverageDesk::finish(const std::shared_ptr<Job>& job) {
  if (job->thread.joinable()) {
    job->thread.join();  // it has nothing more to do
  }
  std::erase(jobs_, job);
  if (job->fault.empty() && job->cells.size() < job->grid.size()) {
    job->fault = "another coverage was requested meanwhile";
  }
  if (!job->fault.empty()) {
    return job->answer(refusal(job->fault));
  }
  job->result["snr_db"] = cells_json(job->cells, &CoverageCell::snr_db, 0.1);
  job->result["frame_loss"] = cells_json(job->cells, &CoverageCell::frame_loss, 0.001);
  job->answer({{"ok", true}, {"result", std::move(job->result)}});
}

}  // namespace hilgate
