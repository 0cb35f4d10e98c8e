// SPDX-License-Identifier: Apache-2.0
#include "serial/tty.h"

#include <asm/termbits.h>  // termios2 for rates of any number; <termios.h> cannot be included with it
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "host/unix_socket.h"

namespace hilgate {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kUsualBaud = 57'600;  // of pseudo-terminals, which have no rate

std::string reason_of(int error) {
  return std::generic_category().message(error);
}

// Raw, 8N1, regardless of a modem's lines. False with errno: EINVAL where the driver takes another rate that differs by
// more than a receiver bears (a tenth of a bit in the last of ten, 2 %).
bool make_raw(int terminal, std::uint32_t baud, SerialFlow flow) {
  termios2 settings{};
  if (::ioctl(terminal, TCGETS2, &settings) != 0) {
    return false;
  }
  settings.c_iflag &= ~static_cast<tcflag_t>(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
  settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  settings.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
  settings.c_cflag &= ~static_cast<tcflag_t>(CSIZE | PARENB | CSTOPB | CRTSCTS | CBAUD | (CBAUD << IBSHIFT));
  settings.c_cflag |= CS8 | CLOCAL | CREAD | BOTHER | (BOTHER << IBSHIFT);
  settings.c_cflag |= flow == SerialFlow::kRtsCts ? CRTSCTS : 0U;
  settings.c_ispeed = baud;
  settings.c_ospeed = baud;
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  if (::ioctl(terminal, TCSETS2, &settings) != 0 || ::ioctl(terminal, TCGETS2, &settings) != 0) {
    return false;
  }
  const std::uint32_t taken = settings.c_ospeed;
  if (std::max(taken, baud) - std::min(taken, baud) > baud / 50) {
    errno = EINVAL;
    return false;
  }
  return true;
}

short events_of(int terminal, short wanted) {
  pollfd one{.fd = terminal, .events = wanted, .revents = 0};
  return ::poll(&one, 1, 0) > 0 ? one.revents : static_cast<short>(0);
}

// Replaces a link that a gateway has left.
void make_link(const fs::path& link, const std::string& target) {
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(link, error))) {
    fs::remove(link, error);
  }
  fs::create_symlink(target, link, error);
  if (error) {
    throw std::runtime_error(
        fmt::format("{}: cannot make the link to a pseudo-terminal: {}", link.string(), error.message()));
  }
}

}  // namespace

Tty Tty::pseudo(const fs::path& link) {
  Tty tty;
  tty.pseudo_ = true;
  tty.path_ = link;
  tty.file_ = FileDescriptor(checked(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), "a pseudo-terminal"));
  const int master = tty.file_.get();
  checked(::grantpt(master), "grantpt of a pseudo-terminal");
  checked(::unlockpt(master), "unlockpt of a pseudo-terminal");
  std::array<char, 64> name{};
  if (const int error = ::ptsname_r(master, name.data(), name.size()); error != 0) {
    throw std::system_error(error, std::generic_category(), "the name of a pseudo-terminal");
  }
  checked(::fcntl(master, F_SETFL, O_NONBLOCK), "a pseudo-terminal that does not wait");
  // It is raw for the next opener; and from this close on, the kernel reports whether the other end is open.
  const FileDescriptor other(checked(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC), name.data()));
  if (!make_raw(other.get(), kUsualBaud, SerialFlow::kNone)) {
    throw std::system_error(errno, std::generic_category(), fmt::format("{}: raw mode", name.data()));
  }
  give_to_service_group(name.data());
  checked(::chmod(name.data(), 0660), name.data());
  make_link(link, name.data());
  tty.target_ = name.data();
  return tty;
}

Tty::Tty(fs::path device, std::uint32_t baud, SerialFlow flow) : path_(std::move(device)), baud_(baud), flow_(flow) {}

Tty::Tty(Tty&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::exchange(other.target_, {})),
      pseudo_(other.pseudo_),
      baud_(other.baud_),
      flow_(other.flow_),
      file_(std::move(other.file_)),
      open_(other.open_),
      problem_(std::move(other.problem_)) {}

Tty::~Tty() {
  std::error_code none;
  if (!target_.empty() && fs::read_symlink(path_, none) == target_) {
    fs::remove(path_, none);
    leave_run_folder(path_);
  }
}

void Tty::look() {
  if (!pseudo_) {
    return open_ ? void() : open_device();
  }
  const short events = events_of(file_.get(), POLLIN);
  const bool closed = (events & POLLHUP) != 0 && (events & POLLIN) == 0;  // and all that was written has been read
  problem_ = closed ? fmt::format("no program has {} open", path_.string()) : "";
  open_ = !closed;
}

void Tty::open_device() {
  FileDescriptor file(::open(path_.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid()) {
    problem_ = reason_of(errno);
    return;
  }
  if (::isatty(file.get()) == 0) {
    problem_ = "is no terminal";
    return;
  }
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    problem_ = "another program has it open (flock)";
    return;
  }
  if (!make_raw(file.get(), baud_, flow_)) {
    problem_ = fmt::format("cannot be set to {} baud, 8N1: {}", baud_, reason_of(errno));
    return;
  }
  ::ioctl(file.get(), TIOCEXCL);  // only root can open it now; not all kinds of terminals know this
  ::ioctl(file.get(), TCFLSH, TCIOFLUSH);
  file_ = std::move(file);
  open_ = true;
  problem_.clear();
}

bool Tty::readable() const {
  return file_.valid() && (events_of(file_.get(), POLLIN) & (POLLIN | POLLHUP | POLLERR)) != 0;
}

std::size_t Tty::read(std::span<std::byte> bytes) {
  const ssize_t count = ::read(file_.get(), bytes.data(), bytes.size());
  if (count > 0) {
    return static_cast<std::size_t>(count);
  }
  if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
    close(count == 0 ? "its other end has closed" : reason_of(errno));
  }
  return 0;
}

std::size_t Tty::write(std::span<const std::byte> bytes) {
  const ssize_t count = ::write(file_.get(), bytes.data(), bytes.size());
  if (count < 0 && errno != EAGAIN && errno != EINTR) {
    close(reason_of(errno));
  }
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

void Tty::close(const std::string& problem) {
  open_ = false;
  if (pseudo_) {
    return look();  // read() of a pseudo-terminal fails when the other end has closed, and when it is being opened
  }
  file_.close();
  problem_ = problem;
}

void Tty::forget_other_end() {
  if (!file_.valid()) {
    return;
  }
  ::ioctl(file_.get(), TCFLSH, TCOFLUSH);
  if (pseudo_) {
    const FileDescriptor other(::open(target_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!other.valid() && errno == EBUSY) {
      return make_again();
    }
    ::ioctl(other.get(), TCFLSH, TCIFLUSH);  // what lies at the other end already
    // Settings outlive the process that made them, and output that was stopped stays so. What is refused was refused
    // before.
    make_raw(other.get(), kUsualBaud, SerialFlow::kNone);
    ::ioctl(other.get(), TCXONC, TCOON);
  }
}

// TIOCEXCL outlives the process that set it, and admits only root, which alone could clear it.
void Tty::make_again() {
  try {
    Tty next = pseudo(path_);
    file_ = std::move(next.file_);
    target_ = std::exchange(next.target_, {});
  } catch (const std::exception& error) {
    problem_ = error.what();
  }
}

}  // namespace hilgate
