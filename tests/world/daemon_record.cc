// SPDX-License-Identifier: Apache-2.0
#include "tests/world/daemon_record.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gateway/record/record_reader.h"

namespace hilgate::test {
namespace {

/// What a record has at its end.
class LastAccounts final : public RecordVisitor {
 public:
  explicit LastAccounts(WorldFaults& faults) : faults_(faults) {}

  void layout(Nanoseconds, const RunLayout& layout) override {
    layout_ = layout;
    windows_anew_ = true;
  }
  void links(Nanoseconds, const Links& links) override {
    // What a layout begins with is the table at hand, which in the first window is that before the simulator's first.
    const bool may_repeat = windows_anew_ || (is_repeated_ && links.table.window == 0);
    faults_.require(may_repeat || links.table.window > window_, "in the record window {} comes after {}",
                    links.table.window, window_);
    window_ = links.table.window;
    is_repeated_ = std::exchange(windows_anew_, false);
    ++tables_;
  }
  void counts(Nanoseconds, const Counts& counts) override { rows_ = counts.rows; }
  void verdicts(Nanoseconds, const std::vector<Verdict>&) override {}
  void said(Nanoseconds, const std::string& topic, const nlohmann::json& json) override {
    if (topic == kTotalsTopic) {
      totals_ = json.at("totals");
    } else if (topic == kChangesTopic) {
      changes_ += json.contains("configuration") ? 1 : 0;
    } else if (topic == kEndTopic) {
      end_ = json;
    }
  }

  [[nodiscard]] std::uint64_t tables() const { return tables_; }
  void compare(const nlohmann::json& status) {
    same("the totals of the record's end", end_.value("status", nlohmann::json()).value("totals", nlohmann::json()),
         status.at("totals"));
    same("the last totals of the record", totals_, status.at("totals"));
    faults_.require(changes_ == status.at("totals").at("changes"), "the record has {} changes, and status {}", changes_,
                    status.at("totals").at("changes").dump());
    for (const nlohmann::json& link : status.at("links")) {
      const std::string name = link.at("from").get<std::string>() + ">" + link.at("to").get<std::string>();
      const LinkCountsRow* const row = row_of(name);
      if (row == nullptr) {
        return faults_.add("the record has no counts of {}", name);
      }
      for (std::size_t i = 0; i < kCounterNames.size(); ++i) {
        const std::string counter(kCounterNames[i]);
        if (link.contains(counter)) {
          same(name + " " + counter, (*row)[i], link.at(counter));
        }
      }
      for (std::size_t reason = 0; reason < layout_.reasons.size(); ++reason) {
        same(name + " " + layout_.reasons[reason], (*row)[kCounterNames.size() + reason],
             link.at("dropped").value(layout_.reasons[reason], std::uint64_t{0}));
      }
    }
  }

 private:
  void same(const std::string& what, const nlohmann::json& recorded, const nlohmann::json& status) {
    faults_.require(recorded == status, "{} are {}, and status has {}", what, recorded.dump(), status.dump());
  }
  [[nodiscard]] const LinkCountsRow* row_of(const std::string& name) const {
    for (std::size_t link = 0; link < rows_.size(); ++link) {
      if (layout_.link_name(link) == name) {
        return &rows_[link];
      }
    }
    return nullptr;
  }

  WorldFaults& faults_;
  RunLayout layout_;
  bool windows_anew_ = true;  // a layout is followed by the table in force
  bool is_repeated_ = false;  // the last table was that
  std::uint64_t window_ = 0;
  std::uint64_t tables_ = 0;
  std::uint64_t changes_ = 0;
  std::vector<LinkCountsRow> rows_;
  nlohmann::json totals_, end_;
};

}  // namespace

std::uint64_t check_record(const std::filesystem::path& runs, const nlohmann::json& status, WorldFaults& faults) {
  std::vector<std::filesystem::path> records;
  for (const auto& entry : std::filesystem::directory_iterator(runs)) {
    records.push_back(entry.path());
  }
  faults.require(records.size() == 1, "there are {} records", records.size());
  if (records.size() != 1) {
    return 0;
  }
  LastAccounts accounts(faults);
  const McapEnd end = read_record(records.front(), accounts);
  faults.require(end.whole, "the record is not whole: {}", end.text());
  const RecordSummary summary = RecordSummary::of(records.front());
  faults.require(summary.missed == 0, "the record lacks {} messages", summary.missed);
  accounts.compare(status);
  return accounts.tables();
}

}  // namespace hilgate::test
