// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/table_file.h"

#include <cerrno>
#include <system_error>
#include <utility>

namespace hilgate {
namespace {

// RFC 4180: what has commas, quotes or line ends is in quotes.
std::string csv_cell(const TableFile::Cell& cell) {
  if (cell.is_null()) {
    return {};
  }
  if (!cell.is_string()) {
    return cell.dump();
  }
  const auto& text = cell.get_ref<const std::string&>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + '"';
}

}  // namespace

TableFile::TableFile(const std::filesystem::path& folder, const std::string& name, std::vector<std::string> columns,
                     TableFormat format)
    : file_(folder / (name + (format == TableFormat::kCsv ? ".csv" : ".jsonl"))),
      columns_(std::move(columns)),
      format_(format),
      out_(file_) {
  if (!out_) {
    throw std::system_error(errno, std::generic_category(), file_.string());
  }
  if (format_ == TableFormat::kCsv) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      out_ << (i > 0 ? "," : "") << columns_[i];
    }
    out_ << '\n';
  }
}

void TableFile::row(const std::vector<Cell>& cells) {
  if (format_ == TableFormat::kJson) {
    Cell object = Cell::object();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      object[columns_[i]] = cells.at(i);
    }
    out_ << object.dump() << '\n';
    return;
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    out_ << (i > 0 ? "," : "") << csv_cell(cells.at(i));
  }
  out_ << '\n';
}

void TableFile::close() {
  out_.close();
  if (!out_) {
    throw std::system_error(errno, std::generic_category(), file_.string());
  }
}

}  // namespace hilgate
