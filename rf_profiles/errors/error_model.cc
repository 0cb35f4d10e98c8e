// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/errors/error_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "config/config_file.h"
#include "config/plain_text.h"
#include "config/quantity.h"
#include "config/range.h"
#include "rf_profiles/errors/low_rate_error.h"
#include "rf_profiles/errors/wifi_error.h"

namespace hilgate {
namespace {

using tinyxml2::XMLElement;

/// Empty where the element has none.
std::string attribute_of(const XMLElement& element, const char* name) {
  const char* value = element.Attribute(name);
  return value == nullptr ? "" : value;
}

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
  void read_curves(const XMLElement& table);
  ErrorColumn& curve(const std::string& mode);
  void read_point(ErrorColumn& column, const XMLElement& row);
  bool expect(const XMLElement& element, std::initializer_list<std::string_view> names);
  template <class Read>
  void for_children(const XMLElement* parent, Read read);
  void add_point(ErrorColumn& column, double snr_db, double error_rate);
  void fault(std::string text) { faults_.push_back({file_, line_, "", std::move(text)}); }

  std::string file_;
  ErrorTable table_;
  std::vector<Fault> faults_;
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
      fault(fmt::format("the header is '{}'; it must be snr_db and the modes' names", shown(line)));
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

ErrorTable TableReader::read_pcr() {
  const std::string text = read_config_file(file_);
  table_.clean_above = true;
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    line_ = std::max(document.ErrorLineNum(), 1);
    fault(fmt::format("is no whole XML: {}", tinyxml2::XMLDocument::ErrorIDToName(document.ErrorID())));
  }
  const XMLElement* root = faults_.empty() ? document.RootElement() : nullptr;
  const std::string name = root == nullptr ? "" : root->Name();
  if (root != nullptr && (name != "pcr" || root->NextSiblingElement() != nullptr)) {
    line_ = name != "pcr" ? root->GetLineNum() : root->NextSiblingElement()->GetLineNum();
    fault(name != "pcr" ? fmt::format("is <{}>, curves of another EMANE model; <pcr>, of RF Pipe and IEEE 802.11abg, "
                                      "is read",
                                      name)
                        : "begins a second element after <pcr>, which would not be read; put both into one");
    root = nullptr;
  }
  for_children(root, [this](const XMLElement& table) { read_curves(table); });
  return finished();
}

// Of several tables EMANE takes the last one's packet size for all.
void TableReader::read_curves(const XMLElement& table) {
  if (!expect(table, {"table"})) {
    return;
  }
  constexpr std::int64_t kMostBytes = 65535;
  try {
    const auto bytes = static_cast<double>(parse_whole(attribute_of(table, "pktsize"), 0, kMostBytes));
    table_.frame_bytes = bytes > 0 ? bytes : table_.frame_bytes;
    table_.any_length = bytes == 0;
  } catch (const std::invalid_argument& error) {
    fault(fmt::format("pktsize of <table>: {}", error.what()));
  }
  for_children(&table, [this](const XMLElement& inner) {
    if (!expect(inner, {"row", "datarate"})) {
      return;
    }
    if (inner.Name() == std::string_view("row")) {
      return read_point(curve("rate0"), inner);
    }
    const std::string mode = "rate" + attribute_of(inner, "index");
    if (std::ranges::find(table_.columns, mode, &ErrorColumn::mode) != table_.columns.end()) {
      return fault(fmt::format("<datarate index=\"{}\"> is given twice", attribute_of(inner, "index")));
    }
    ErrorColumn& column = curve(mode);
    for_children(&inner, [&](const XMLElement& row) {
      if (expect(row, {"row"})) {
        read_point(column, row);
      }
    });
  });
}

ErrorColumn& TableReader::curve(const std::string& mode) {
  const auto known = std::ranges::find(table_.columns, mode, &ErrorColumn::mode);
  return known != table_.columns.end() ? *known : table_.columns.emplace_back(ErrorColumn{mode, {}, {}});
}

void TableReader::read_point(ErrorColumn& column, const XMLElement& row) {
  const auto number = [&](const char* name) {
    try {
      return parse_text<double>(attribute_of(row, name));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("{} of <row>: {}", name, error.what()));
    }
  };
  try {
    add_point(column, number("sinr"), 1 - number("por") / 100);
  } catch (const std::invalid_argument& error) {
    fault(error.what());
  }
}

// What is not read is a fault.
bool TableReader::expect(const XMLElement& element, std::initializer_list<std::string_view> names) {
  const bool is_known = std::ranges::find(names, std::string_view(element.Name())) != names.end();
  if (!is_known) {
    fault(fmt::format("<{}> is not read; allowed here: <{}>", element.Name(), fmt::join(names, ">, <")));
  }
  return is_known;
}

template <class Read>
void TableReader::for_children(const XMLElement* parent, Read read) {
  for (const XMLElement* child = parent == nullptr ? nullptr : parent->FirstChildElement(); child != nullptr;
       child = child->NextSiblingElement()) {
    line_ = child->GetLineNum();
    read(*child);
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
  throw std::runtime_error(fmt::format("the error table does not have the mode '{}'; {}", shown(mode), names));
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
