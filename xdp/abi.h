/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
/*
 * What the XDP programs and the user side of the AF_XDP ports say to each other, declared once. C subset; compiles
 * under `clang -target bpf` and g++. __beNN is wire order, everything else is host order; times are nanoseconds of
 * CLOCK_MONOTONIC.
 */
#ifndef HILGATE_XDP_ABI_H
#define HILGATE_XDP_ABI_H

#include <linux/types.h>

/* Names as C programs of the kernel have them. NOLINTBEGIN(readability-identifier-naming) */

#ifdef __cplusplus
#define ABI_ASSERT(condition) static_assert(condition, #condition)
#else
#define ABI_ASSERT(condition) _Static_assert(condition, #condition)
#endif

/* What a frame is; each frame is exactly one of these. */
enum hg_class {
  HG_CLASS_PTP,        /* ethertype 0x88F7, UDP ports 319 and 320: the kernel's, if it is served */
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
  HG_OUTCOME_NO_SOCKET, /* dropped: no socket on its rx queue, and no fail mode */
  HG_OUTCOME_WIRED,     /* straight to its receiver's port: by hand, or because user space is dead or late */
  HG_OUTCOME_BLOCKED,   /* dropped, because user space is dead or late */
  HG_OUTCOME_LINK_PASS, /* straight to its receiver's port: the link is perfect */
  HG_OUTCOME_LINK_DROP, /* dropped: the link is out of range */
  HG_OUTCOME_SPOOFED,   /* dropped instead of wired: the sender is no robot of this port */
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

/* Instead of it, from the program that reads the driver's receive timestamps. */
#define HG_META_MAGIC_TIMED 0x68674d32 /* "hgM2" */
struct hg_timed_meta {
  __s64 device_ns; /* by the NIC's clock; at most 0: absent, and minus the errno why */
  struct hg_frame_meta frame;
};
ABI_ASSERT(sizeof(struct hg_timed_meta) == 24);

/* A per-CPU counter. */
struct hg_counter {
  __u64 frames;
  __u64 bytes; /* whole frames, without FCS */
};
ABI_ASSERT(sizeof(struct hg_counter) == 16);

/* Traffic of the box itself. Either an ethertype (after VLAN tags, if any), or an IP protocol and its destination
 * port; the latter concerns only frames addressed to the port's own MAC or to a group. */
struct hg_management_rule {
  __be16 ethertype; /* 0: by protocol and port */
  __be16 port;
  __u8 protocol; /* IPPROTO_TCP or IPPROTO_UDP */
  __u8 reserved[3];
};
ABI_ASSERT(sizeof(struct hg_management_rule) == 8);

#define HG_MANAGEMENT_RULES 16

/* What happens to a port's frames while user space is dead or late. */
enum hg_fail {
  HG_FAIL_NONE,  /* nothing is watched; the program goes with its process */
  HG_FAIL_WIRE,  /* straight to the port of their receiver, as a cable would */
  HG_FAIL_BLOCK, /* nothing passes; a path that is late keeps its frames waiting */
};

/* Constants of one port's program, set before it is loaded. */
struct hg_port_config {
  __u32 port;             /* its index in hg_ports */
  __u32 managed;          /* 0: the port is alone; the shared maps say nothing */
  __u32 fail;             /* enum hg_fail */
  __u32 kernel_links;     /* 1: links may be decided here */
  __u32 management_rules; /* how many of `management` are in use */
  __u8 ptp_served;        /* 1: PTP to the box or to PTP's groups is the kernel's; 0: all of it is the socket's */
  __u8 reserved[7];
  struct hg_management_rule management[HG_MANAGEMENT_RULES];
};
ABI_ASSERT(sizeof(struct hg_port_config) == 28 + 8 * HG_MANAGEMENT_RULES);

/* What the interface is called on its network, at the moment. IPv4 as ::ffff:a.b.c.d. */
#define HG_OWN_ADDRESSES 16
struct hg_address {
  __be32 words[4];
};
struct hg_own {
  __u8 mac[6];
  __u8 reserved[2];
  __u32 addresses; /* how many */
  __u32 padding;
  struct hg_address ip[HG_OWN_ADDRESSES];
};
ABI_ASSERT(sizeof(struct hg_own) == 16 + 16 * HG_OWN_ADDRESSES);

/* One for all ports, mapped into user space. The packet loop writes the first line, the control thread the second. */
struct hg_plane {
  __u64 beat_ns; /* when the packet loop was last seen alive */
  __u64 unused[6];
  __u32 trunks; /* how many ports have VLANs; wired is 0 with any: no tag is changed here */
  __u32 padding;
  __u64 stale_ns; /* a beat older than this does not count */
  __u32 wired;    /* 1: by hand, as if user space were dead and every port's fail mode were wire */
  __u32 robots;   /* how many; link = sender * robots + receiver */
};
ABI_ASSERT(sizeof(struct hg_plane) == 80);

struct hg_mac {
  __u8 bytes[6];
  __u8 reserved[2];
};
ABI_ASSERT(sizeof(struct hg_mac) == 8);

/* Whose MAC it is, and where that robot is plugged in. A port whose robot has no known address is entered by a MAC
 * that no frame comes from: HG_OPEN_PORT, and the port in the last two bytes, the high one first. */
#define HG_OPEN_PORT 0x01 /* the first byte, a group's; the next three are 0 */
struct hg_robot {
  __u32 robot;
  __u32 port;
};
ABI_ASSERT(sizeof(struct hg_robot) == 8);

/* What decides the fate of the unicast frames of a link. */
enum hg_link {
  HG_LINK_USER, /* the gateway's path */
  HG_LINK_PASS, /* here: perfect, no delay and no error */
  HG_LINK_DROP, /* here: out of range */
};

/*
 * Maps of one port: hg_own_names (array of one struct hg_own), hg_sockets (XSKMAP, rx queue -> socket),
 * hg_class_counters (per-CPU array, enum hg_class -> struct hg_counter), hg_outcome_counters (per-CPU array, enum
 * hg_outcome -> struct hg_counter). Maps that all ports share: hg_plane (array of one struct hg_plane), hg_ports
 * (DEVMAP, port -> interface), hg_macs (hash, struct hg_mac -> struct hg_robot), hg_links (array, link -> enum hg_link
 * as __u32), hg_link_counters (per-CPU array, link -> struct hg_counter, frames decided here).
 */

/* NOLINTEND(readability-identifier-naming) */

#endif
