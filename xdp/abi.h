/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * What the XDP programs and the user side of the AF_XDP ports say to each other, declared once. C subset; compiles
 * under `clang -target bpf` and g++. __beNN is wire order, everything else is host order; times are nanoseconds of
 * CLOCK_MONOTONIC.
 */
#ifndef HILGATE_XDP_ABI_H
#define HILGATE_XDP_ABI_H

#include <linux/types.h>

#ifdef __cplusplus
#define ABI_ASSERT(condition) static_assert(condition, #condition)
#else
#define ABI_ASSERT(condition) _Static_assert(condition, #condition)
#endif

/* What a frame is; each frame is exactly one of these. */
enum hg_class {
  HG_CLASS_PTP,        /* ethertype 0x88F7, UDP ports 319 and 320: always the kernel's */
  HG_CLASS_MANAGEMENT, /* a configured management rule: the kernel's */
  HG_CLASS_ARP,
  HG_CLASS_ND, /* ICMPv6 types 133 to 137, RFC 4861 */
  HG_CLASS_IPV4,
  HG_CLASS_IPV4_MULTICAST, /* by MAC group bit, so broadcast as well */
  HG_CLASS_IPV6,
  HG_CLASS_IPV6_MULTICAST,
  HG_CLASS_OTHER, /* any other ethertype, and what is cut short inside a header */
  HG_CLASS_RUNT,  /* shorter than an Ethernet header */
  HG_CLASSES
};

/* Where the program sent a frame. */
enum hg_outcome {
  HG_OUTCOME_KERNEL,    /* up the kernel's stack: PTP and management */
  HG_OUTCOME_SOCKET,    /* to the AF_XDP socket of its rx queue */
  HG_OUTCOME_NO_SOCKET, /* dropped: no socket on its rx queue */
  HG_OUTCOMES
};

/* In front of a frame's first byte when it reaches the socket. */
#define HG_META_MAGIC 0x68674d31 /* "hgM1" */
struct hg_frame_meta {
  __u64 arrived_ns;
  __u32 magic;
  __u32 frame_class; /* enum hg_class */
};
ABI_ASSERT(sizeof(struct hg_frame_meta) == 16);

/* A per-CPU counter. */
struct hg_counter {
  __u64 frames;
  __u64 bytes; /* whole frames, without FCS */
};
ABI_ASSERT(sizeof(struct hg_counter) == 16);

/* Traffic of the box itself. Either an ethertype (behind VLAN tags, if any), or an IP protocol and its source or
 * destination port; the latter concerns only frames addressed to the port's own MAC or to a group. */
struct hg_management_rule {
  __be16 ethertype; /* 0: by protocol and port */
  __be16 port;
  __u8 protocol; /* IPPROTO_TCP or IPPROTO_UDP */
  __u8 reserved[3];
};
ABI_ASSERT(sizeof(struct hg_management_rule) == 8);

#define HG_MANAGEMENT_RULES 16

/* Constants of one port's program, set before it is loaded. */
struct hg_port_config {
  __u32 management_rules; /* how many of `management` are in use */
  __u8 mac[6];            /* the interface's own */
  __u8 reserved[2];
  struct hg_management_rule management[HG_MANAGEMENT_RULES];
};
ABI_ASSERT(sizeof(struct hg_port_config) == 12 + 8 * HG_MANAGEMENT_RULES);

/* Maps. hg_sockets: XSKMAP, rx queue -> socket. hg_class_counters: per-CPU array, enum hg_class -> struct hg_counter.
 * hg_outcome_counters: per-CPU array, enum hg_outcome -> struct hg_counter. */

#endif
