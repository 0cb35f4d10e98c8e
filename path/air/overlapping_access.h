// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "clock/time.h"
#include "path/air/access_method.h"

// Stations that start when they see fit, so that transmissions overlap, and the receiver decides: it gets the frame
// that it has locked on (path/air/receivers.h), with the errors of its SINR over noise and all who overlap with it.
// RTS, CTS and acknowledgements are met by those only who transmit when they begin. Whom a station hears, and defers
// to, is the derived class's.

namespace hilgate {

class OverlappingAccess : public AccessMethod {
 public:
  using AccessMethod::AccessMethod;

  bool step(HostTime now) final;
  [[nodiscard]] HostTime next_event() const final;
  void head_changed(Transmitter& transmitter) override {
    defer_if_busy(transmitter, transmitter.idle_from);
    schedule(transmitter);
  }
  void jobs_removed(Transmitter& transmitter) final;
  void reserve(std::size_t most) final;

 protected:
  /// Stations that hear `robot`, but for `exchange_of`, find the medium busy from `at` to `until`.
  /// Does nothing where stations do not listen, or look when they want to send.
  virtual void carrier(std::uint32_t /*robot*/, const Transmitter& /*exchange_of*/, HostTime /*at*/,
                       HostTime /*until*/) {}
  /// The RTS of an exchange has been answered: stations that hear its sender, or the CTS of `receiver`, know how long
  /// it takes (network allocation vector, 10.3.2.4). Does nothing where stations have none.
  virtual void reserve_medium(const Transmitter& /*exchange_of*/, std::uint32_t /*receiver*/) {}
  /// Of a station with a frame that does not transmit: when begins() is to be asked, or at the next event if that is
  /// later.
  [[nodiscard]] virtual HostTime access_of(const Transmitter& transmitter) const;
  /// To be called when what access_of() goes by has changed.
  void schedule(const Transmitter& transmitter);
  /// At access_of(): true when it begins to transmit. Else something else has changed.
  virtual bool begins(Transmitter& transmitter, HostTime at) { return !drop_over_budget(transmitter, at); }
  /// An acknowledgement is on the air from `from` to `until`, `exchange_of` has sent its frame, and nothing of what
  /// follows has happened: adds those that will begin to transmit meanwhile, where they are known.
  virtual void note_beginning(const Transmitter& /*exchange_of*/, HostTime /*from*/, HostTime /*until*/,
                              std::vector<Overlap>& /*overlaps*/) const {}
  /// An exchange is over, and Transmitter::idle_from its end; `succeeded`: with its acknowledgement, if it has one.
  virtual void ended(Transmitter& /*transmitter*/, bool /*succeeded*/) {}
  [[nodiscard]] bool hears(std::uint32_t from, std::uint32_t to) const {
    return transmitters_.signals().power_dbm(from, to) >= rules_.carrier_sense_dbm;
  }
  /// The first of `robot`; null where it has no transmitter, or one in another domain, whose state is another medium's.
  [[nodiscard]] Transmitter* receiver_in(std::uint32_t domain, std::uint32_t robot);
  /// Members that transmit, increasing.
  [[nodiscard]] const std::vector<std::uint32_t>& on_air() const { return on_air_; }

 private:
  void member_entered(std::size_t place) final;
  void member_left(std::size_t place) final;
  [[nodiscard]] HostTime first_access() const;
  [[nodiscard]] Transmitter* first_to_end() const;
  void go_on_air(Transmitter& transmitter);
  void go_off_air(Transmitter& transmitter);
  void begin_all(HostTime at);
  void yield_to_own(HostTime at);
  void begin(Transmitter& transmitter, HostTime at);
  void end(Transmitter& transmitter);
  void end_rts(Transmitter& transmitter);
  bool response_received(Transmitter& transmitter);
  void note_answer(const Transmitter& transmitter, HostTime until);
  void note_transmitting(const Transmitter& except, std::vector<Overlap>& overlaps) const;
  void note_overlaps(Transmitter& transmitter);
  void end_exchange(Transmitter& transmitter, HostTime on_air_until, AirOutcome outcome);
  bool survives(Transmitter& drawing, const Sent& sent, const std::vector<Overlap>& overlaps);
  bool drop_over_budget(Transmitter& transmitter, HostTime at);

  std::vector<HostTime> accesses_;                  // by place: access_of(), HostTime::max() of those that need none
  mutable std::optional<HostTime> least_access_{};  // the least of accesses_; absent: to be found
  std::vector<std::uint32_t> on_air_;
  std::vector<std::uint32_t> starting_;  // transmitters
  std::vector<Overlap> transmitting_;
};

}  // namespace hilgate

// The distributed coordination function where stations do not all hear one another (hidden stations). Each goes by the
// power it receives itself: it defers to senders above the carrier-sense threshold, decoded or not, and to frames for
// itself that its receiver has locked on, however weak, and knows nothing of the others. Of transmissions that began
// while it transmitted itself, it senses the energy alone: those 20 dB above the threshold (17.3.10.6).
// Acknowledgements silence stations that hear the sender, by the frame's duration field, or the receiver; RTS and CTS
// those that hear either, until the acknowledgement is over (IEEE 802.11-2020, 10.3.2.4).

namespace hilgate {

class OverlappingDcf final : public OverlappingAccess {
 public:
  using OverlappingAccess::OverlappingAccess;

 private:
  void carrier(std::uint32_t robot, const Transmitter& exchange_of, HostTime at, HostTime until) override;
  void reserve_medium(const Transmitter& exchange_of, std::uint32_t receiver) override;
  void ended(Transmitter& transmitter, bool succeeded) override;
  void defer(Transmitter& transmitter, HostTime at, HostTime until);
};

}  // namespace hilgate
