// SPDX-License-Identifier: Apache-2.0
#include "host/unix_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/host/unix_pair.h"
#include "tests/loop.h"
#include "tests/support/as_nobody.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;

class LocalPeerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) {
      GTEST_SKIP() << "needs root, to be somebody else";
    }
    chmod(dir_.file("").c_str(), 0755);
    listener_ = listen_at(dir_.file("s"));
    chmod(dir_.file("s").c_str(), 0777);  // the file lets everybody in: the kernel's word is what counts
  }

  LocalPeer accepted() { return local_peer(FileDescriptor(accept(listener_.get(), nullptr, nullptr)).get()); }

  TempDir dir_;
  FileDescriptor listener_;
};

TEST_F(LocalPeerTest, TrustsItsOwnUserAndNamesIt) {
  const FileDescriptor connection = connect_to(dir_.file("s"));
  const LocalPeer peer = accepted();
  EXPECT_TRUE(peer.trusted);
  EXPECT_EQ(peer.process, getpid());
  EXPECT_THAT(peer.text(), HasSubstr("process " + std::to_string(getpid()) + " ("));
  EXPECT_THAT(peer.text(), HasSubstr(" of user root"));
}

TEST_F(LocalPeerTest, DoesNotTrustAnotherUser) {
  EXPECT_EQ(as_nobody([&] { return connect_to(dir_.file("s")).get() >= 0 ? "connected" : "refused"; }), "connected");
  const LocalPeer peer = accepted();
  EXPECT_FALSE(peer.trusted);
  EXPECT_EQ(peer.user, kNobody);
  EXPECT_THAT(peer.text(), HasSubstr(" of user nobody"));
}

TEST_F(LocalPeerTest, TrustsAListeningRootForAnyClient) {
  EXPECT_EQ(as_nobody([&] { return local_peer(connect_to(dir_.file("s")).get()).trusted ? "trusted" : "not"; }),
            "trusted");
}

}  // namespace
}  // namespace hilgate::test
