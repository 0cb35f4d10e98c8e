// SPDX-License-Identifier: Apache-2.0
#include "host/background_work.h"

#include <asio/post.hpp>
#include <stop_token>
#include <system_error>
#include <utility>

namespace hilgate {

struct BackgroundText::Job {
  Make make;
  Done done;
  std::string text{};
  bool is_over = false;  // of the control thread
};

BackgroundText::BackgroundText(const asio::any_io_executor& control, const BackgroundWork& background, Make make,
                               Done done)
    : job_(std::make_shared<Job>(Job{.make = std::move(make), .done = std::move(done)})) {
  const auto work = [job = job_, control](const std::stop_token&) {
    job->text = job->make();
    asio::post(control, [job] {
      if (!std::exchange(job->is_over, true)) {
        job->done(std::move(job->text));
      }
    });
  };
  try {
    thread_ = background(work);
  } catch (const std::system_error&) {
    work({});
  }
}

BackgroundText::~BackgroundText() {
  job_->is_over = true;
}

}  // namespace hilgate
