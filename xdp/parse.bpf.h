/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/* What kind of frame is it? A cursor walks the headers and never leaves the part of the frame that is in reach. */
#ifndef HILGATE_XDP_PARSE_BPF_H
#define HILGATE_XDP_PARSE_BPF_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "abi.h"

#define PTP_EVENT_PORT 319 /* IEEE 1588-2019, annex C and D */
#define PTP_GENERAL_PORT 320
#define VLAN_TAGS 2 /* 802.1Q inside 802.1ad */
#define IPV6_EXTENSIONS 4
#define ICMPV6 58
#define ND_FIRST 133 /* router solicitation, RFC 4861 */
#define ND_LAST 137  /* redirect */

struct cursor {
  void* at;
  void* end;
};

/* What classification needs to know of a frame. */
struct headers {
  __u8 to[ETH_ALEN];
  __u8 from[ETH_ALEN];
  __be16 ethertype; /* after VLAN tags */
  __u8 protocol;    /* of the first fragment; 0 if out of reach */
  __u8 icmp_type;
  __be16 destination_port;
  __u8 is_ip;
  struct hg_address destination; /* of IP; IPv4 as ::ffff:a.b.c.d */
};

struct vlan_header {
  __be16 tag;
  __be16 ethertype;
};

struct port_pair {
  __be16 source;
  __be16 destination;
};

/* The next `size` bytes, or nothing when the frame ends before. `size` is a constant wherever this is inlined. */
static __always_inline void* take(struct cursor* c, __u32 size) {
  void* taken = c->at;

  if (taken + size > c->end)
    return NULL;
  c->at = taken + size;
  return taken;
}

/* As frame/headers.h and the kernel: 0x9100, which old switches use, is of no standard. */
static __always_inline int is_vlan(__be16 ethertype) {
  return ethertype == bpf_htons(ETH_P_8021Q) || ethertype == bpf_htons(ETH_P_8021AD);
}

static __always_inline int skip_vlan_tags(struct cursor* c, struct headers* h) {
#pragma unroll
  for (int tag = 0; tag < VLAN_TAGS; tag++) {
    struct vlan_header* vlan;

    if (!is_vlan(h->ethertype))
      return 0;
    vlan = take(c, sizeof(*vlan));
    if (!vlan)
      return -1;
    h->ethertype = vlan->ethertype;
  }
  return 0;
}

static __always_inline void parse_transport(struct cursor* c, struct headers* h, __u8 protocol) {
  if (protocol == IPPROTO_UDP || protocol == IPPROTO_TCP) {
    struct port_pair* ports = take(c, sizeof(*ports));

    if (ports) {
      h->protocol = protocol;
      h->destination_port = ports->destination;
    }
  } else if (protocol == ICMPV6) {
    __u8* type = take(c, 1);

    if (type) {
      h->protocol = protocol;
      h->icmp_type = *type;
    }
  }
}

static __always_inline void parse_ipv4(struct cursor* c, struct headers* h) {
  struct iphdr* ip = take(c, sizeof(*ip));
  __u32 options;

  if (!ip || ip->ihl < 5)
    return;
  h->is_ip = 1;
  h->destination.words[2] = bpf_htonl(0xffff);
  h->destination.words[3] = ip->daddr;
  if (ip->frag_off & bpf_htons(0x1fff)) /* not the first fragment: no ports in it */
    return;
  options = (ip->ihl - 5u) * 4;
  c->at += options & 0x3c;
  parse_transport(c, h, ip->protocol);
}

/* RFC 8200, 4: hop-by-hop options, routing and destination options say their length in units of 8 bytes less one. */
static __always_inline void parse_ipv6(struct cursor* c, struct headers* h) {
  struct ipv6hdr* ip = take(c, sizeof(*ip));
  __u8 next;

  if (!ip)
    return;
  h->is_ip = 1;
  __builtin_memcpy(&h->destination, &ip->daddr, sizeof(h->destination));
  next = ip->nexthdr;
#pragma unroll
  for (int i = 0; i < IPV6_EXTENSIONS; i++) {
    struct ipv6_opt_hdr* extension;

    if (next != IPPROTO_HOPOPTS && next != IPPROTO_ROUTING && next != IPPROTO_DSTOPTS)
      break;
    extension = take(c, 8);
    if (!extension)
      return;
    next = extension->nexthdr;
    c->at += extension->hdrlen * 8u;
  }
  parse_transport(c, h, next);
}

/* 0, or -1 when not even the Ethernet header is there. Neither static nor inlined, so that the verifier looks at it by
 * itself: else it follows each way through the headers to the end of the program, four times the work. */
__attribute__((noinline)) int parse(struct xdp_md* ctx, struct headers* h) {
  struct cursor c = {.at = (void*)(long)ctx->data, .end = (void*)(long)ctx->data_end};
  struct ethhdr* ethernet = take(&c, sizeof(*ethernet));

  if (!h || !ethernet)
    return -1;
  __builtin_memcpy(h->to, ethernet->h_dest, ETH_ALEN);
  __builtin_memcpy(h->from, ethernet->h_source, ETH_ALEN);
  h->ethertype = ethernet->h_proto;
  if (skip_vlan_tags(&c, h) < 0)
    return 0;
  if (h->ethertype == bpf_htons(ETH_P_IP))
    parse_ipv4(&c, h);
  else if (h->ethertype == bpf_htons(ETH_P_IPV6))
    parse_ipv6(&c, h);
  return 0;
}

static __always_inline int is_group(const struct headers* h) {
  return h->to[0] & 1;
}

static __always_inline int is_ptp(const struct headers* h) {
  return h->ethertype == bpf_htons(ETH_P_1588) ||
         (h->protocol == IPPROTO_UDP &&
          (h->destination_port == bpf_htons(PTP_EVENT_PORT) || h->destination_port == bpf_htons(PTP_GENERAL_PORT)));
}

/* The groups of IEEE 1588-2019: annex E (IEEE 802.3), C (IPv4), D (IPv6, any scope for the primary one). */
static __always_inline int is_ptp_mac_group(const struct headers* h) {
  const __u8* mac = h->to;
  __u32 vendor = mac[0] << 16 | mac[1] << 8 | mac[2];
  __u32 number = mac[3] << 16 | mac[4] << 8 | mac[5];

  return (vendor == 0x011b19 && number == 0) || (vendor == 0x0180c2 && number == 0x0e); /* of all, of peers */
}

static __always_inline int is_ptp_ip_group(const struct hg_address* a) {
  if (!a->words[0] && !a->words[1] && a->words[2] == bpf_htonl(0xffff))
    return a->words[3] == bpf_htonl(0xe0000181) || a->words[3] == bpf_htonl(0xe000006b); /* 224.0.1.129, 224.0.0.107 */
  if (a->words[1] || a->words[2])
    return 0;
  return ((a->words[0] & bpf_htonl(0xfff0ffff)) == bpf_htonl(0xff000000) && a->words[3] == bpf_htonl(0x181)) ||
         (a->words[0] == bpf_htonl(0xff020000) && a->words[3] == bpf_htonl(0x6b));
}

#endif
