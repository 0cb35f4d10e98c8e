// SPDX-License-Identifier: Apache-2.0
#include "host/stack_filter.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter_arp.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <system_error>
#include <vector>

#include "host/interface_watch.h"

namespace hilgate {
namespace {

constexpr const char* kChain = "in";
constexpr std::int32_t kBeforeOthers = -400;  // connection tracking begins at -300 (linux/netfilter_ipv4.h)

// Netlink messages in sequence; attributes may be nested.
class NetlinkBatch {
 public:
  void begin(std::uint16_t type, std::uint16_t flags, std::uint8_t family, std::uint16_t resource = 0) {
    end();
    message_ = bytes_.size();
    const nlmsghdr head{.nlmsg_len = 0,
                        .nlmsg_type = type,
                        .nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags),
                        .nlmsg_seq = 0,
                        .nlmsg_pid = 0};
    append(&head, sizeof head);
    const nfgenmsg body{.nfgen_family = family, .version = NFNETLINK_V0, .res_id = htons(resource)};
    append(&body, sizeof body);
  }
  void end() {
    if (!bytes_.empty()) {
      const auto length = static_cast<std::uint32_t>(bytes_.size() - message_);
      std::memcpy(&bytes_[message_], &length, sizeof length);
    }
  }
  void add(std::uint16_t type, std::span<const std::byte> value) {
    const std::size_t at = open(type);
    append(value.data(), value.size());
    close(at, NLMSG_ALIGN(value.size()) - value.size());
  }
  void add(std::uint16_t type, const std::string& text) {
    add(type, std::as_bytes(std::span(text.c_str(), text.size() + 1)));
  }
  void add(std::uint16_t type, std::uint32_t number) {
    const std::uint32_t wire = htonl(number);
    add(type, std::as_bytes(std::span(&wire, 1)));
  }
  template <class Fill>
  void nest(std::uint16_t type, Fill fill) {
    const std::size_t at = open(static_cast<std::uint16_t>(type | NLA_F_NESTED));
    fill();
    close(at);
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  void append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
    bytes_.resize(NLMSG_ALIGN(bytes_.size()));
  }
  std::size_t open(std::uint16_t type) {
    const std::size_t at = bytes_.size();
    const nlattr head{.nla_len = 0, .nla_type = type};
    append(&head, sizeof head);
    return at;
  }
  // The padding after a value is no part of it.
  void close(std::size_t at, std::size_t padding = 0) {
    const auto length = static_cast<std::uint16_t>(bytes_.size() - at - padding);
    std::memcpy(&bytes_[at], &length, sizeof length);
  }

  std::vector<std::byte> bytes_;
  std::size_t message_ = 0;  // where the last begins
};

constexpr std::uint16_t order(nf_tables_msg_types type) {
  return static_cast<std::uint16_t>((NFNL_SUBSYS_NFTABLES << 8) | type);
}

// One expression of a rule: name, and what it is given.
template <class Fill>
void add_expression(NetlinkBatch& batch, const std::string& name, Fill fill) {
  batch.nest(NFTA_LIST_ELEM, [&] {
    batch.add(NFTA_EXPR_NAME, name);
    batch.nest(NFTA_EXPR_DATA, fill);
  });
}

// iifname "NAME" drop
void add_rule(NetlinkBatch& batch, std::uint8_t family, const std::string& table, const std::string& interface) {
  batch.begin(order(NFT_MSG_NEWRULE), NLM_F_CREATE | NLM_F_APPEND, family);
  batch.add(NFTA_RULE_TABLE, table);
  batch.add(NFTA_RULE_CHAIN, std::string(kChain));
  batch.nest(NFTA_RULE_EXPRESSIONS, [&] {
    add_expression(batch, "meta", [&batch] {
      batch.add(NFTA_META_KEY, std::uint32_t{NFT_META_IIFNAME});
      batch.add(NFTA_META_DREG, std::uint32_t{NFT_REG_1});
    });
    add_expression(batch, "cmp", [&] {
      std::array<char, IFNAMSIZ> name{};
      interface.copy(name.data(), name.size() - 1);
      batch.add(NFTA_CMP_SREG, std::uint32_t{NFT_REG_1});
      batch.add(NFTA_CMP_OP, std::uint32_t{NFT_CMP_EQ});
      batch.nest(NFTA_CMP_DATA, [&] { batch.add(NFTA_DATA_VALUE, std::as_bytes(std::span(name))); });
    });
    add_expression(batch, "immediate", [&batch] {
      batch.add(NFTA_IMMEDIATE_DREG, std::uint32_t{NFT_REG_VERDICT});
      batch.nest(NFTA_IMMEDIATE_DATA, [&batch] {
        batch.nest(NFTA_DATA_VERDICT, [&batch] { batch.add(NFTA_VERDICT_CODE, std::uint32_t{NF_DROP}); });
      });
    });
  });
}

void add_table(NetlinkBatch& batch, std::uint8_t family, const std::string& table,
               const std::set<std::string>& interfaces) {
  batch.begin(order(NFT_MSG_NEWTABLE), NLM_F_CREATE | NLM_F_ACK, family);
  batch.add(NFTA_TABLE_NAME, table);
  batch.add(NFTA_TABLE_FLAGS, std::uint32_t{NFT_TABLE_F_OWNER});
  batch.begin(order(NFT_MSG_NEWCHAIN), NLM_F_CREATE, family);
  batch.add(NFTA_CHAIN_TABLE, table);
  batch.add(NFTA_CHAIN_NAME, std::string(kChain));
  batch.add(NFTA_CHAIN_TYPE, std::string("filter"));
  batch.nest(NFTA_CHAIN_HOOK, [&batch, family] {
    batch.add(NFTA_HOOK_HOOKNUM,
              static_cast<std::uint32_t>(family == NFPROTO_ARP ? int{NF_ARP_IN} : int{NF_INET_PRE_ROUTING}));
    batch.add(NFTA_HOOK_PRIORITY, static_cast<std::uint32_t>(kBeforeOthers));
  });
  for (const std::string& interface : interfaces) {
    if (interface.size() < IFNAMSIZ) {  // no interface has a longer name
      add_rule(batch, family, table, interface);
    }
  }
}

void remove_table(NetlinkBatch& batch, std::uint8_t family, const std::string& table) {
  batch.begin(order(NFT_MSG_DELTABLE), NLM_F_ACK, family);
  batch.add(NFTA_TABLE_NAME, table);
}

// The kernel has answered when send() returns. Zero or an errno; a missing answer is not the kernel's.
int result_of(int socket) {
  int result = EPROTO;
  alignas(nlmsghdr) std::array<std::byte, kNetlinkBufferBytes> buffer{};
  for (ssize_t bytes = 0; (bytes = ::recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0;) {
    each_netlink_message({buffer.data(), static_cast<std::size_t>(bytes)}, [&result](const nlmsghdr* message) {
      if (message->nlmsg_type == NLMSG_ERROR && (result == 0 || result == EPROTO)) {
        result = -static_cast<const nlmsgerr*>(NLMSG_DATA(message))->error;
      }
    });
  }
  return result;
}

}  // namespace

StackFilter::StackFilter()
    : socket_(checked(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER), "a netlink socket for rules")) {
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  socklen_t size = sizeof address;
  checked(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
          "a netlink socket for rules");
  checked(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size), "a netlink socket for rules");
  table_ = fmt::format("hilgate-{}", address.nl_pid);  // the kernel gives no other socket this number
}

void StackFilter::drop_from(const std::set<std::string>& interfaces) {
  if (interfaces == dropped_) {
    return;
  }
  NetlinkBatch batch;
  batch.begin(NFNL_MSG_BATCH_BEGIN, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
  for (const std::uint8_t family : {std::uint8_t{NFPROTO_INET}, std::uint8_t{NFPROTO_ARP}}) {
    if (!dropped_.empty()) {
      remove_table(batch, family, table_);
    }
    if (!interfaces.empty()) {
      add_table(batch, family, table_, interfaces);
    }
  }
  batch.begin(NFNL_MSG_BATCH_END, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
  batch.end();
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  checked(static_cast<int>(::sendto(socket_.get(), batch.bytes().data(), batch.bytes().size(), 0,
                                    reinterpret_cast<const sockaddr*>(&kernel), sizeof kernel)),
          "rules of nf_tables");
  if (const int error = result_of(socket_.get()); error != 0) {
    throw std::system_error(error, std::generic_category(), "rules of nf_tables");
  }
  dropped_ = interfaces;
}

}  // namespace hilgate
