// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/report/radio_command.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>

#include "config/nearest.h"
#include "config/quantity.h"
#include "rf_profiles/oracle/oracle.h"
#include "rf_profiles/profile/medium_access.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/profile/validation_text.h"
#include "rf_profiles/report/link_report.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;
using Form = RadioCommand::Form;

RadioProfile load(const RadioCommand& command) {
  const bool is_file = command.name.find('/') != std::string::npos || command.name.ends_with(".yaml");
  return load_radio_profile(is_file ? command.name : find_radio_profile(command.name, command.folders));
}

int list(const RadioCommand& command, std::ostream& out) {
  Json all = Json::array();
  for (const std::string& name : radio_profile_names(command.folders)) {
    const RadioProfile profile = load_radio_profile(find_radio_profile(name, command.folders));
    if (command.form == Form::kTable) {
      out << fmt::format("{:24} {}\n", name, profile.title);
    }
    all.push_back({{"id", name}, {"title", profile.title}, {"file", profile.file}});
  }
  if (command.form == Form::kJson) {
    out << all.dump(2) << '\n';
  }
  return 0;
}

Json modes_json(const RadioProfile& profile, std::uint32_t frame_bytes) {
  Json modes = Json::array();
  for (const RadioMode& mode : profile.phy.modes) {
    modes.push_back({{"name", mode.name},
                     {"rate_bps", mode.phy.rate_bps},
                     {"air_time_ns", mode.phy.air_time(frame_bytes).count()},
                     {"ack_ns", mode.phy.ack.count()}});
  }
  return modes;
}

Json provenance_json(const RadioProfile& profile) {
  Json all = Json::array();
  for (const Provenance& provenance : profile.provenance) {
    all.push_back({{"key", provenance.key}, {"tag", provenance.tag}, {"source", provenance.source}});
    if (!provenance.effect.empty()) {
      all.back()["effect"] = provenance.effect;
    }
  }
  return all;
}

Json validation_json(const Validation& validation) {
  Json compared = Json::array();
  for (const Comparison& one : validation.compared) {
    compared.push_back({{"with", one.with},
                        {"quantity", one.quantity},
                        {"rows", one.rows},
                        {"points", one.points},
                        {"median", one.median},
                        {"most", one.most}});
  }
  Json distance;  // null: none
  if (validation.distance) {
    distance = {validation.distance->first.value, validation.distance->second.value};
  }
  return {{"compared", compared},
          {"distance_m", distance},
          {"rates", validation.rates},
          {"line", validation_line(validation)}};
}

Json show_json(const RadioProfile& profile, std::uint32_t frame_bytes) {
  const RadioPhy& phy = profile.phy;
  return {{"id", profile.id},
          {"title", profile.title},
          {"file", profile.file},
          {"frequency_hz", phy.frequency.value},
          {"bandwidth_hz", phy.bandwidth.value},
          {"tx_power_dbm", phy.tx_power.value},
          {"noise_floor_dbm", phy.noise_floor().value},
          {"error_model", phy.error_model},
          {"domain", profile.mac.domain},
          {"access", medium_access_text(profile.mac)},
          {"tries", profile.mac.tries},
          {"queue_frames", profile.mac.queue_frames},
          {"queue_bytes", profile.mac.queue_bytes},
          {"mtu_bytes", profile.mtu_bytes},
          {"modes", modes_json(profile, frame_bytes)},
          {"validation", validation_json(profile.validation)},
          {"provenance", provenance_json(profile)}};
}

void show_table(const RadioProfile& profile, std::uint32_t frame_bytes, std::ostream& out) {
  const RadioPhy& phy = profile.phy;
  out << fmt::format("{}: {}\n{}\n\n", profile.id, profile.title, profile.file);
  out << fmt::format("{:.6g} MHz, bandwidth {:.6g} MHz, {:g} dBm, noise floor {:.2f} dBm, error model {}\n",
                     phy.frequency.value / 1e6, phy.bandwidth.value / 1e6, phy.tx_power.value, phy.noise_floor().value,
                     phy.error_model);
  const std::string queue = profile.serial_payload ? fmt::format("{} bytes of payload", profile.mac.queue_bytes)
                                                   : fmt::format("{} frames", profile.mac.queue_frames);
  out << fmt::format("domain {}, {} tries, queue of {}, MTU {} bytes\n{}\n\n", profile.mac.domain, profile.mac.tries,
                     queue, profile.mtu_bytes, medium_access_text(profile.mac));
  out << validation_line(profile.validation) << "\n\n";
  out << fmt::format("{:12} {:>12} {:>22}\n", "mode", "Mbit/s", fmt::format("us for {} bytes", frame_bytes));
  for (const RadioMode& mode : phy.modes) {
    const double air_us = static_cast<double>(mode.phy.air_time(frame_bytes).count()) / 1e3;
    out << fmt::format("{:12} {:12.6g} {:22.1f}\n", mode.name, mode.phy.rate_bps / 1e6, air_us);
  }
  out << '\n';
  for (const Provenance& provenance : profile.provenance) {
    out << fmt::format(
        "{:32} {:11} {}\n", provenance.key, provenance.tag,
        provenance.effect.empty() ? provenance.source : provenance.source + "; effect: " + provenance.effect);
  }
}

int show(const RadioCommand& command, std::ostream& out) {
  const RadioProfile profile = load(command);
  if (command.form == Form::kJson) {
    out << show_json(profile, command.question.frame_bytes).dump(2) << '\n';
  } else {
    show_table(profile, command.question.frame_bytes, out);
  }
  return 0;
}

int plot(const RadioCommand& command, std::ostream& out) {
  const RangePlot range = plot_range(load(command), command.question);
  if (command.form == Form::kSvg) {
    out << range_svg(range);
    return 0;
  }
  if (command.form == Form::kJson) {
    Json curves = Json::object();
    for (const RangeCurve& curve : range.curves) {
      curves[curve.name] = curve.error_rate;
    }
    out << Json{{"title", range.title}, {"distance_m", range.distance_m}, {"error_rate", curves}}.dump(2) << '\n';
    return 0;
  }
  out << range.title << "\n\n" << fmt::format("{:>10}", "m");
  for (const RangeCurve& curve : range.curves) {
    out << fmt::format(" {:>9}", curve.name);
  }
  out << '\n';
  constexpr std::size_t kEvery = 10;
  for (std::size_t i = 0; i < range.distance_m.size(); i += kEvery) {
    out << fmt::format("{:10.1f}", range.distance_m[i]);
    for (const RangeCurve& curve : range.curves) {
      out << fmt::format(" {:9.3g}", curve.error_rate[i]);
    }
    out << '\n';
  }
  return 0;
}

int link(const RadioCommand& command, std::ostream& out) {
  const RadioProfile profile = load(command);
  const LinkReport report = report_link(profile, command.question);
  if (command.form == Form::kTable) {
    out << link_sentence(profile, command.question, report) << '\n';
    return 0;
  }
  out << Json{{"profile", profile.id},
              {"distance_m", command.question.distance_m},
              {"frame_bytes", command.question.frame_bytes},
              {"reachable", report.reachable},
              {"path_loss_db", report.path_loss.value},
              {"wall_loss_db", report.wall_loss.value},
              {"rssi_dbm", report.rssi.value},
              {"noise_dbm", report.noise.value},
              {"snr_db", report.snr.value},
              {"sinr_db", report.sinr.value},
              {"mode", report.mode},
              {"rate_bps", report.rate_bps},
              {"error_model", profile.phy.error_model},
              {"frame_error_rate", report.frame_error_rate},
              {"multicast_error_rate", report.multicast_error_rate},
              {"delivery", report.delivery},
              {"mean_tries", report.mean_tries},
              {"undetected_rate", report.undetected_rate},
              {"datagram_bytes", command.question.datagram_bytes},
              {"fragments", report.fragments},
              {"datagram_delivery", report.datagram_delivery},
              {"goodput_bps", report.goodput_bps},
              {"air_time_s", report.air_time_s}}
             .dump(2)
      << '\n';
  return 0;
}

/// One value, without a table.
int evaluate(const RadioCommand& command, std::ostream& out) {
  constexpr std::string_view kUsual = "loss";
  const auto slash = command.name.find('/');
  OracleRow row;
  row.model = command.name.substr(0, slash);
  row.quantity = slash == std::string::npos ? kUsual : command.name.substr(slash + 1);
  row.inputs = fmt::format("{}", fmt::join(command.inputs, ";"));
  const double value = oracle_value(row);
  if (command.form == Form::kJson) {
    out << Json{{"model", row.model}, {"quantity", row.quantity}, {"inputs", row.inputs}, {"value", value}}.dump(2)
        << '\n';
  } else {
    out << fmt::format("{}/{} {}: {:.10g}\n", row.model, row.quantity, row.inputs, value);
  }
  return 0;
}

int oracle(const RadioCommand& command, std::ostream& out, std::ostream& err) {
  if (!command.inputs.empty()) {
    return evaluate(command, out);
  }
  Json rows = Json::array();
  int failed = 0;
  bool unknown = false;
  for (const OracleRow& row : read_oracle_csv(command.name)) {
    OracleResult result;
    std::string why;
    try {
      result = judge(row);
    } catch (const UnknownOracle& error) {
      unknown = true;
      why = error.what();
    } catch (const std::runtime_error& error) {
      why = error.what();
    }
    failed += result.pass ? 0 : 1;
    const std::string name = row.model + "/" + row.quantity;
    const std::string verdict = result.pass ? "pass" : why.empty() ? "FAIL" : "ERROR";
    if (command.form == Form::kJson) {
      rows.push_back({{"line", row.line},
                      {"model", row.model},
                      {"quantity", row.quantity},
                      {"inputs", row.inputs},
                      {"value", result.value},
                      {"deviation", result.deviation},
                      {"verdict", verdict},
                      {"error", why}});
    } else if (why.empty()) {
      out << fmt::format("{}:{}: {:5} {} {}: {:.10g} {} ({:+.3g} from {:.10g})\n", command.name, row.line, verdict,
                         name, row.inputs, result.value, row.unit, result.deviation, row.expected);
    } else {
      out << fmt::format("{}:{}: {:5} {} {}: {}\n", command.name, row.line, verdict, name, row.inputs, why);
    }
  }
  if (command.form == Form::kJson) {
    out << rows.dump(2) << '\n';
  }
  if (unknown) {
    err << fmt::format("known models: {}\n", fmt::join(oracle_names(), ", "));
  }
  return failed == 0 ? 0 : 1;
}

int run(const RadioCommand& command, std::ostream& out, std::ostream& err) {
  if (command.form == Form::kSvg && command.action != RadioCommand::Action::kPlot) {
    throw std::runtime_error("only `radio plot` supports --svg");
  }
  switch (command.action) {
    case RadioCommand::Action::kShow:
      return show(command, out);
    case RadioCommand::Action::kPlot:
      return plot(command, out);
    case RadioCommand::Action::kLink:
      return link(command, out);
    case RadioCommand::Action::kOracle:
      return oracle(command, out, err);
    default:
      return list(command, out);
  }
}

}  // namespace

int radio_command(const RadioCommand& command, std::ostream& out, std::ostream& err) {
  try {
    return run(command, out, err);
  } catch (const std::runtime_error& error) {  // ConfigError too
    err << error.what() << '\n';
    return 2;
  }
}

Wall parse_wall(const std::string& text) {
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const auto material = builtin_material(name);
  if (!material) {
    std::vector<std::string> names;
    for (const Material& known : builtin_materials()) {
      names.push_back(known.name);
    }
    throw std::invalid_argument(fmt::format("'{}' is not a material; {}", name, hint_for(name, names)));
  }
  Wall wall{*material};
  if (colon != std::string::npos) {
    wall.thickness_m = parse_text<Metres>(text.substr(colon + 1)).value;
    if (!(wall.thickness_m > 0)) {
      throw std::invalid_argument(fmt::format("the wall '{}' has no thickness; example: brick:20cm", text));
    }
  }
  return wall;
}

}  // namespace hilgate
