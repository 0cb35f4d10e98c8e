// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/capture/captures.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <asio/post.hpp>
#include <nlohmann/json.hpp>

#include <stdexcept>
#include <system_error>
#include <utility>

#include "gateway/run/capture/capture_sink.h"

namespace hilgate {
namespace {

// The loops answer within an iteration; a sanitized build on a busy machine may be descheduled.
constexpr std::chrono::milliseconds kLoopPatience{500};

}  // namespace

Captures::Captures(asio::io_context& context, DataPlane& plane, std::shared_ptr<const CaptureNames> names)
    : context_(context), plane_(plane), names_(std::move(names)) {}

void Captures::check(const nlohmann::json& request) const {
  CaptureRequest::of(request, *names_);
  if (counts_.captures.load(std::memory_order_relaxed) >= kMost) {
    throw std::runtime_error(fmt::format("{} captures are running already; end one of them", kMost));
  }
}

void Captures::stream(const nlohmann::json& request, FileDescriptor socket, std::shared_ptr<void> seat) {
  add(std::make_unique<CaptureSink>(CaptureRequest::of(request, *names_),
                                    std::make_unique<CaptureStream>(std::move(socket), std::move(seat))));
}

void Captures::start(const CaptureConfig& config) {
  record_ = std::make_shared<CaptureRecord::State>();
  record_->file = config.file.string();
  try {
    add(std::make_unique<CaptureSink>(
        CaptureRequest{.snaplen = config.snaplen},
        std::make_unique<CaptureRecord>(CaptureFilesConfig{.file = config.file,
                                                           .ring_bytes = config.ring_bytes,
                                                           .ring_time = config.ring_time,
                                                           .ring_files = config.ring_files,
                                                           .for_group = true},
                                        record_)));
  } catch (const std::system_error& error) {
    throw std::runtime_error(fmt::format("capture.file: {}; name a file that can be written", error.what()));
  }
  reader_->wait();
  attach();
}

void Captures::change(std::shared_ptr<const CaptureNames> names) {
  names_ = std::move(names);
  if (reader_) {
    reader_->change(names_);
  }
}

void Captures::stop() {
  if (reader_) {
    plane_.observe({}, kLoopPatience);
    reader_.reset();
  }
}

void Captures::follow(std::unique_ptr<FrameSink> sink) {
  add(std::move(sink));
  reader_->wait();
  attach();
}

void Captures::add(std::unique_ptr<FrameSink> sink) {
  if (!reader_) {
    session_ = session_ == 0xFFFF ? 1 : session_ + 1;
    reader_ = std::make_unique<CaptureReader>(
        CaptureReader::Size{.loops = plane_.loops().size(), .session = session_}, names_, counts_,
        CaptureReader::Calls{.ready = [this] { asio::post(context_, [this] { attach(); }); },
                             .idle = [this] { asio::post(context_, [this] { detach(); }); }});
  }
  reader_->add(std::move(sink));
}

void Captures::attach() {
  if (!reader_) {
    return;
  }
  if (!plane_.observe(reader_->rings(), kLoopPatience)) {
    spdlog::warn("capture: the packet loop does not answer; it may have missed the first frames");
  }
  reader_->begin();
}

// Another capture may have been requested meanwhile. The rings stay until no loop can write to them.
void Captures::detach() {
  if (reader_ && reader_->idle() && plane_.observe({}, kLoopPatience)) {
    reader_.reset();
  }
}

std::string Captures::problem() const {
  if (!record_) {
    return {};
  }
  const std::scoped_lock lock(record_->mutex);
  return record_->problem;
}

std::optional<CaptureStatus> Captures::status() const {
  if (session_ == 0) {
    return std::nullopt;
  }
  CaptureStatus status{.going_on = counts_.captures.load(std::memory_order_relaxed),
                       .captured = counts_.captured.load(std::memory_order_relaxed),
                       .missed = counts_.missed.load(std::memory_order_relaxed)};
  if (record_) {
    const std::scoped_lock lock(record_->mutex);
    status.file = record_->file;
    status.bytes = record_->bytes;
    if (!record_->problem.empty()) {
      status.problem = record_->problem;
    }
  }
  return status;
}

}  // namespace hilgate
