// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/errors/error_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "config/config_file.h"
#include "config/quantity.h"
#include "rf_profiles/errors/low_rate_error.h"
#include "rf_profiles/errors/wifi_error.h"

namespace hilgate {
namespace {

/// Words between blanks and commas.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while ((at = line.find_first_not_of(", \t\r", at)) != std::string::npos) {
    const auto end = std::min(line.find_first_of(", \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

class TableReader {
 public:
  TableReader(const std::string& file, double frame_bytes) : file_(file) { table_.frame_bytes = frame_bytes; }

  ErrorTable read_lines(ErrorTableFormat format);
  ErrorTable read_pcr();

 private:
  ErrorTable finished();
  void read_row(const std::vector<std::string>& words, ErrorTableFormat format);
  void read_tag(std::string_view tag);
  void add_point(ErrorColumn& column, double snr_db, double error_rate);
  void fault(std::string text) { faults_.push_back({file_, line_, "", std::move(text)}); }

  std::string file_;
  ErrorTable table_;
  std::vector<Fault> faults_;
  std::string root_;  // name of an XML file's outermost element
  int line_ = 0;
};

void TableReader::add_point(ErrorColumn& column, double snr_db, double error_rate) {
  if (!(error_rate >= 0 && error_rate <= 1)) {
    fault(fmt::format("error rate {:g} is out of range; allowed: 0 to 1", error_rate));
  } else if (!column.snr_db.empty() && snr_db <= column.snr_db.back()) {
    fault(fmt::format("{:g} dB is not above the previous line's {:g} dB", snr_db, column.snr_db.back()));
  } else {
    column.snr_db.push_back(snr_db);
    column.error_rate.push_back(error_rate);
  }
}

ErrorTable TableReader::finished() {
  line_ = 0;
  const auto is_empty = [](const ErrorColumn& column) { return column.snr_db.empty(); };
  if (faults_.empty() && (table_.columns.empty() || std::ranges::any_of(table_.columns, is_empty))) {
    const auto mode = std::ranges::find_if(table_.columns, is_empty);
    fault(mode == table_.columns.end() ? "has no error rates"
                                       : fmt::format("has no error rates of the mode '{}'", mode->mode));
  }
  if (!faults_.empty()) {
    throw ConfigError(std::move(faults_));
  }
  return std::move(table_);
}

ErrorTable TableReader::read_lines(ErrorTableFormat format) {
  std::istringstream stream(read_config_file(file_));
  constexpr int kWmediumdRates = 12;
  for (int i = 0; format == ErrorTableFormat::kWmediumd && i < kWmediumdRates; ++i) {
    table_.columns.push_back({fmt::format("rate{}", i), {}, {}});
  }
  for (std::string line; std::getline(stream, line);) {
    ++line_;
    const std::vector<std::string> words = words_of(line);
    if (words.empty() || words.front().starts_with('#')) {
      continue;
    }
    if (!table_.columns.empty()) {
      read_row(words, format);
      continue;
    }
    if (words.size() < 2 || words.front() != "snr_db") {
      fault(fmt::format("the header is '{}'; it must be snr_db and the modes' names", line));
      break;
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
      table_.columns.push_back({words[i], {}, {}});
    }
  }
  return finished();
}

void TableReader::read_row(const std::vector<std::string>& words, ErrorTableFormat format) {
  constexpr double kWmediumdNoise = -91;
  if (words.size() != table_.columns.size() + 1) {
    fault(fmt::format("has {} numbers; expected {}", words.size(), table_.columns.size() + 1));
    return;
  }
  try {
    const double first = parse_text<double>(words[0]);
    const double snr_db = format == ErrorTableFormat::kWmediumd ? first - kWmediumdNoise : first;
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      add_point(table_.columns[i], snr_db, parse_text<double>(words[i + 1]));
    }
  } catch (const std::invalid_argument& error) {
    fault(error.what());
  }
}

/// The value of an attribute in the text of a tag; empty when it has none.
std::string attribute(std::string_view tag, std::string_view name) {
  const std::string opening = fmt::format("{}=\"", name);
  const auto at = tag.find(opening);
  if (at == std::string_view::npos) {
    return {};
  }
  const auto begin = at + opening.size();
  return std::string(tag.substr(begin, tag.find('"', begin) - begin));
}

ErrorTable TableReader::read_pcr() {
  const std::string text = read_config_file(file_);
  table_.clean_above = true;
  line_ = 1;
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, 4, "<!--") == 0) {
      const auto end = std::min(text.find("-->", at), text.size());
      line_ += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                           text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      at = end;
    } else if (text[at] == '<') {
      const auto end = std::min(text.find('>', at), text.size());
      read_tag(std::string_view(text).substr(at + 1, end - at - 1));
      at = end;
    } else {
      line_ += text[at] == '\n' ? 1 : 0;
      ++at;
    }
  }
  return finished();
}

void TableReader::read_tag(std::string_view tag) {
  try {
    if (root_.empty() && !tag.starts_with('?') && !tag.starts_with('!')) {
      root_ = tag.substr(0, tag.find_first_of(" \t\r\n/"));
      if (root_ != "pcr") {
        fault(fmt::format("is <{}>, curves of another EMANE model; <pcr>, of RF Pipe and IEEE 802.11abg, is read",
                          root_));
      }
    }
    if (root_ != "pcr") {
      return;
    }
    if (tag.starts_with("table")) {
      const double bytes = parse_text<double>(attribute(tag, "pktsize"));
      table_.frame_bytes = bytes > 0 ? bytes : table_.frame_bytes;
      table_.any_length = bytes == 0;
    } else if (tag.starts_with("datarate")) {
      table_.columns.push_back({"rate" + attribute(tag, "index"), {}, {}});
    } else if (tag.starts_with("row")) {
      if (table_.columns.empty()) {
        table_.columns.push_back({"rate0", {}, {}});
      }
      add_point(table_.columns.back(), parse_text<double>(attribute(tag, "sinr")),
                1 - parse_text<double>(attribute(tag, "por")) / 100);
    }
  } catch (const std::invalid_argument& error) {
    fault(fmt::format("in <{}>: {}", tag, error.what()));
  }
}

double error_rate_at(const ErrorColumn& column, bool clean_above, double snr_db) {
  if (snr_db < column.snr_db.front()) {
    return 1;
  }
  const auto above = std::upper_bound(column.snr_db.begin(), column.snr_db.end(), snr_db);
  if (above == column.snr_db.end()) {
    return clean_above && snr_db > column.snr_db.back() ? 0 : column.error_rate.back();
  }
  const auto i = static_cast<std::size_t>(above - column.snr_db.begin());
  const double part = (snr_db - column.snr_db[i - 1]) / (column.snr_db[i] - column.snr_db[i - 1]);
  return std::lerp(column.error_rate[i - 1], column.error_rate[i], part);
}

}  // namespace

HazardCurve ErrorTable::hazard(std::string_view mode) const {
  std::string names;
  for (const ErrorColumn& column : columns) {
    if (column.mode == mode) {
      return [column, clean_above = clean_above, bits = 8 * frame_bytes](double snr_db) {
        return -std::log1p(-error_rate_at(column, clean_above, snr_db)) / bits;
      };
    }
    names += (names.empty() ? "" : ", ") + column.mode;
  }
  throw std::runtime_error(fmt::format("the error table does not have the mode '{}'; {}", mode, names));
}

ErrorTable read_error_table(const std::string& file, ErrorTableFormat format, double frame_bytes) {
  TableReader reader(file, frame_bytes);
  return format == ErrorTableFormat::kEmanePcr ? reader.read_pcr() : reader.read_lines(format);
}

namespace {

/// As in ns-3, BPSK 3/4 and 1024-QAM fall back to YANS: the tables have no such modes.
HazardCurve table_or_yans(const OfdmMode& mode) {
  const int mcs = mcs_of(mode.coding);
  return mcs < 0 || mcs >= kWifiTableMcsCount ? wifi_yans_hazard(mode.coding, mode.signal_per_bit)
                                              : wifi_table_hazard(mcs);
}

constexpr ErrorModel kErrorModels[] = {
    {.name = "wifi_table", .ofdm = table_or_yans},
    {.name = "wifi_nist", .ofdm = [](const OfdmMode& mode) { return wifi_nist_hazard(mode.coding); }},
    {.name = "wifi_yans",
     .ofdm = [](const OfdmMode& mode) { return wifi_yans_hazard(mode.coding, mode.signal_per_bit); }},
    {.name = "wmediumd", .ofdm = [](const OfdmMode& mode) { return wmediumd_hazard(mode.coding); }},
    {.name = "dsss"},
    {.name = "ncfsk", .serial = [](const SerialMode& mode) { return ncfsk_hazard(mode.bandwidth_over_rate); }},
    // Its preamble is spread like its data, by 32 chips to four bits: what can be decoded is found.
    {.name = "oqpsk", .serial = [](const SerialMode& /*mode*/) { return oqpsk_hazard(); }, .lock = Decibels{0}},
    {.name = "lora", .serial = [](const SerialMode& mode) { return lora_hazard(mode.spreading); }},
    {.name = "lte"},
    {.name = "shannon"},
    {.name = "gz_rfcomms", .serial = [](const SerialMode& /*mode*/) { return gz_rfcomms_hazard(); }},
    {.name = "table",
     .ofdm = [](const OfdmMode& mode) { return mode.table->hazard(mode.name); },
     .serial = [](const SerialMode& mode) { return mode.table->hazard(mode.name); },
     .reads_table = true},
    {.name = "none",
     .serial = [](const SerialMode& /*mode*/) { return HazardCurve([](double /*snr_db*/) { return 0.0; }); }},
};

template <class Mode>
[[noreturn]] void refuse(HazardCurve (*ErrorModel::*curve)(const Mode&)) {
  std::string names;
  for (const ErrorModel& model : kErrorModels) {
    if (model.*curve != nullptr) {
      names += (names.empty() ? "" : ", ") + std::string(model.name);
    }
  }
  throw std::runtime_error("needs one of the error models " + names);
}

}  // namespace

std::span<const ErrorModel> error_models() {
  return kErrorModels;
}

HazardCurve hazard_of(const ErrorModel& model, const OfdmMode& mode) {
  if (model.ofdm == nullptr) {
    refuse(&ErrorModel::ofdm);
  }
  return model.ofdm(mode);
}

HazardCurve hazard_of(const ErrorModel& model, const SerialMode& mode) {
  if (model.serial == nullptr) {
    refuse(&ErrorModel::serial);
  }
  return model.serial(mode);
}

}  // namespace hilgate
