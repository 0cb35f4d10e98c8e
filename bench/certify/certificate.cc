// SPDX-License-Identifier: Apache-2.0
#include "bench/certify/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/plain_text.h"
#include "gateway/views/report/chart.h"

namespace hilgate {
namespace {

std::string number_or_dash(const std::optional<CertifySpread>& spread, double CertifySpread::*which) {
  return spread ? certify_number((*spread).*which) : "-";
}

std::string ratio_text(const CertifyLine& line) {
  const auto ratio = line.ratio();
  return ratio ? fmt::format("{:.3g}", *ratio) : "-";
}

std::string counts_text(const Certificate& certificate) {
  const auto count = [&](CertifyVerdict verdict) {
    return std::ranges::count(certificate.lines, verdict, &CertifyLine::verdict);
  };
  return fmt::format("{} pass, {} fail, {} not measured; {} form, {:.0f} s{}", count(CertifyVerdict::kPass),
                     count(CertifyVerdict::kFail), count(CertifyVerdict::kNotMeasured), certificate.form,
                     certificate.seconds, certificate.interrupted ? ", interrupted" : "");
}

std::string host_text(const nlohmann::ordered_json& host) {
  return fmt::format("{}, {} processors, Linux {}, load {:.1f}", host.at("processor").get<std::string>(),
                     host.at("processors").get<unsigned>(), host.at("kernel").get<std::string>(),
                     host.at("load").get<double>());
}

using Cells = std::array<std::string, 10>;

Cells cells_of(const CertifyLine& line) {
  return {std::string(name(line.verdict)),
          line.figure.key,
          number_or_dash(line.spread, &CertifySpread::least),
          number_or_dash(line.spread, &CertifySpread::median),
          number_or_dash(line.spread, &CertifySpread::most),
          std::string(line.figure.unit),
          number_or_dash(line.yardstick, &CertifySpread::median),
          ratio_text(line),
          limit_text(line.figure.limit),
          line.figure.text + (line.note.empty() ? "" : "; " + line.note)};
}

const Cells& head() {
  static const Cells kCells{"verdict", "figure", "min", "median", "max", "", "yardstick", "ratio", "limit", ""};
  return kCells;
}

nlohmann::ordered_json json_of(const std::optional<CertifySpread>& spread) {
  return spread ? nlohmann::ordered_json{{"min", spread->least}, {"median", spread->median}, {"max", spread->most}}
                : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json json_of(const CertifyLine& line) {
  const auto ratio = line.ratio();
  return {{"key", line.figure.key},
          {"text", line.figure.text},
          {"unit", line.figure.unit},
          {"verdict", name(line.verdict)},
          {"rounds", line.values},
          {"spread", json_of(line.spread)},
          {"yardstick",
           {{"key", line.figure.yardstick}, {"text", line.figure.yardstick_text}, {"spread", json_of(line.yardstick)}}},
          {"ratio", ratio ? nlohmann::ordered_json(*ratio) : nlohmann::ordered_json(nullptr)},
          {"limit",
           {{"text", limit_text(line.figure.limit)},
            {"at_least", line.figure.limit.at_least},
            {"value", line.figure.limit.value},
            {"of_yardstick", line.figure.limit.of_yardstick}}},
          {"note", line.note}};
}

/// Medians of lines whose key begins so, each above its yardstick.
std::string plot_of(const Certificate& certificate, std::string_view prefix) {
  std::vector<ChartBar> bars;
  for (const CertifyLine& line : certificate.lines) {
    if (!line.figure.key.starts_with(prefix) || !line.spread || line.figure.unit.empty()) {
      continue;
    }
    bars.push_back({line.figure.key, line.spread->median,
                    fmt::format("{} {} ({} to {})", certify_number(line.spread->median), line.figure.unit,
                                certify_number(line.spread->least), certify_number(line.spread->most))});
    if (line.yardstick) {
      bars.push_back({"yardstick", line.yardstick->median,
                      fmt::format("{} {}", certify_number(line.yardstick->median), line.figure.unit),
                      BarKind::kComparison});
    }
  }
  return bars.empty() ? std::string() : bars_svg(bars);
}

std::string table_of(const Certificate& certificate) {
  const auto row = [](const Cells& cells, const char* tag) {
    return row_of(std::vector<std::string>(cells.begin(), cells.end()), tag);
  };
  std::string rows = row(head(), "th");
  for (const CertifyLine& line : certificate.lines) {
    Cells cells = cells_of(line);
    std::ranges::transform(cells, cells.begin(), [](const std::string& cell) { return escaped(cell); });
    const char* kind = line.verdict == CertifyVerdict::kPass ? "yes" : "no";
    cells[0] = fmt::format("<span class=\"{}\">{}</span>", kind, cells[0]);
    rows += row(cells, "td");
  }
  return "<div class=\"table\"><table>" + rows + "</table></div>";
}

std::string checks_of(const nlohmann::ordered_json& host) {
  std::string rows;
  for (const auto& check : host.at("checks")) {
    rows += row_of({escaped(check.at("name").get<std::string>()), escaped(check.at("state").get<std::string>()),
                    escaped(check.at("found").get<std::string>())});
  }
  return rows.empty() ? rows : "<div class=\"table\"><table>" + rows + "</table></div>";
}

}  // namespace

// Measuring keeps two processors busy at most, and what ran before that is not its own.
std::string Certificate::doubt() const {
  constexpr double kIdleShare = 0.25;  // of the processors
  const double load = host.at("load").get<double>();
  const double most = kIdleShare * std::max(1.0, host.at("processors").get<double>());
  return load > most ? fmt::format(
                           "These figures do not count: the host was busy, its load was {:.1f} on {} processors "
                           "before the first round, and {:.2g} is allowed. Measure again on an idle host",
                           load, host.at("processors").get<unsigned>(), most)
                     : std::string();
}

int Certificate::status() const {
  return interrupted || std::ranges::count(lines, CertifyVerdict::kFail, &CertifyLine::verdict) > 0 ? 1 : 0;
}

std::string certify_number(double value) {
  if (value >= 999'500) {
    return fmt::format("{:.3g} M", value / 1e6);
  }
  return value >= 9999.5 ? fmt::format("{:.3g} k", value / 1e3) : fmt::format("{:.4g}", value);
}

std::string certificate_text(const Certificate& certificate) {
  std::array<std::size_t, std::tuple_size_v<Cells>> widths{};
  std::vector<Cells> rows{head()};
  std::ranges::transform(certificate.lines, std::back_inserter(rows), cells_of);
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text = fmt::format("{}\n", host_text(certificate.host));
  for (const Cells& row : rows) {
    std::string words;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_number = (i >= 2 && i <= 4) || i == 6 || i == 7;
      words += is_number ? fmt::format("{:>{}}  ", row[i], widths[i]) : fmt::format("{:<{}}  ", row[i], widths[i]);
    }
    text += words.substr(0, words.find_last_not_of(' ') + 1) + "\n";
  }
  text += counts_text(certificate) + "\n";
  const std::string doubt = certificate.doubt();
  return doubt.empty() ? text : text + doubt + "\n";
}

nlohmann::ordered_json certificate_json(const Certificate& certificate) {
  nlohmann::ordered_json json{{"hilgate_certify", 1},
                              {"form", certificate.form},
                              {"began", certificate.began},
                              {"seconds", certificate.seconds},
                              {"interrupted", certificate.interrupted},
                              {"counts", certificate.doubt().empty()},
                              {"doubt", certificate.doubt()},
                              {"status", certificate.status()},
                              {"host", certificate.host},
                              {"method", certificate.method},
                              {"lines", nlohmann::ordered_json::array()},
                              {"samples", certificate.samples}};
  for (const CertifyLine& line : certificate.lines) {
    json["lines"].push_back(json_of(line));
  }
  return json;
}

std::string certificate_page(const Certificate& certificate) {
  return page_of(
      "certify",
      fmt::format("<p>{}<br>{}<br>{}</p>\n{}", escaped(host_text(certificate.host)), escaped(certificate.began),
                  escaped(counts_text(certificate)),
                  certificate.doubt().empty() ? std::string()
                                              : fmt::format("<p class=\"no\">{}</p>\n", escaped(certificate.doubt()))) +
          section_of("Verdicts", "Minimum, median and maximum of the rounds; a limit with x is of the yardstick.",
                     table_of(certificate)) +
          section_of("Rates on ports", "Frames per second by frame size, and a plain AF_XDP forwarder.",
                     plot_of(certificate, "wire.ndr") + plot_of(certificate, "wire.pdr")) +
          section_of("Rates in memory", "Frames per second of one core, and the devices without a path.",
                     plot_of(certificate, "core.")) +
          section_of("Delay error under load, us", "Later than asked; the yardstick is the plain forwarder's delay.",
                     plot_of(certificate, "wire.delay")) +
          section_of("Release error, ns", "", plot_of(certificate, "release.")) +
          section_of("Fail-to-wire gap and start, ms", "", plot_of(certificate, "live.")) +
          section_of("Windows per second", "", plot_of(certificate, "windows.")) +
          section_of("Host", "Results of `hilgate doctor`.", checks_of(certificate.host)));
}

}  // namespace hilgate
