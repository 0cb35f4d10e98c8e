// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

TEST(DoctorOfService, ReadsProcessSettingsFromTheUnitAndItsDropIns) {
  EXPECT_THAT(process_settings("# /lib/systemd/system/hilgate@.service\n"
                               "[Unit]\n"
                               "Description=x\n"
                               "[Service]\n"
                               "Type=notify\n"
                               "ExecStart=/usr/bin/hilgated \\\n"
                               "  /etc/hilgate/%i.yaml\n"
                               "WatchdogSec=10\n"
                               "RestartPreventExitStatus=2\n"
                               "User = hilgate\n"
                               "; a comment\n"
                               "SystemCallFilter=@system-service \\\n"
                               "  bpf\n"
                               "[Install]\n"
                               "WantedBy=multi-user.target\n"
                               "\n"
                               "# /etc/systemd/system/hilgate@.service.d/more.conf\n"
                               "[Service]\n"
                               "DeviceAllow=\n"
                               "DeviceAllow=char-ptp rw\n"),
              testing::ElementsAre("User=hilgate", "SystemCallFilter=@system-service  bpf",
                                   "DeviceAllow=", "DeviceAllow=char-ptp rw"));
}

}  // namespace
}  // namespace hilgate::test
