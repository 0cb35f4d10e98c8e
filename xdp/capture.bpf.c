// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Runs on every frame that arrives at a port: stamps it, classifies it, counts it, leaves management traffic and, where
 * the box serves it, PTP to the kernel and hands everything else to the AF_XDP socket of its rx queue. It watches the
 * heartbeat of the packet loop: without one, frames go straight to the port of their receiver or nowhere, by the port's
 * fail mode.
 *
 * With HG_DEVICE_TIMESTAMPS it also reads when the NIC received the frame
 * (Documentation/networking/xdp-rx-metadata.rst). That is a program of its own, because the kernel takes it for one
 * device alone, and from Linux 6.3 on.
 */
#include "parse.bpf.h"

const volatile struct hg_port_config config = {};

struct {
  __uint(type, BPF_MAP_TYPE_XSKMAP);
  __uint(max_entries, 1); /* set to the number of rx queues before loading */
  __type(key, __u32);
  __type(value, __u32);
} hg_sockets SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct hg_own);
} hg_own_names SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, HG_CLASSES);
  __type(key, __u32);
  __type(value, struct hg_counter);
} hg_class_counters SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, HG_OUTCOMES);
  __type(key, __u32);
  __type(value, struct hg_counter);
} hg_outcome_counters SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __uint(map_flags, BPF_F_MMAPABLE);
  __type(key, __u32);
  __type(value, struct hg_plane);
} hg_plane SEC(".maps");

/* The sizes of the maps below are set before loading: ports, MACs, robots squared. */
struct {
  __uint(type, BPF_MAP_TYPE_DEVMAP);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u32);
} hg_ports SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1);
  __type(key, struct hg_mac);
  __type(value, struct hg_robot);
} hg_macs SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u32);
} hg_links SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct hg_counter);
} hg_link_counters SEC(".maps");

static __always_inline void count(void* counters, __u32 key, __u64 bytes) {
  struct hg_counter* counter = bpf_map_lookup_elem(counters, &key);

  if (counter) {
    counter->frames++;
    counter->bytes += bytes;
  }
}

static __always_inline const struct hg_own* own_names(void) {
  __u32 zero = 0;

  return bpf_map_lookup_elem(&hg_own_names, &zero);
}

static __always_inline int is_mine(const struct headers* h) {
  const struct hg_own* own = own_names();

  if (!own)
    return 0;
#pragma unroll
  for (int i = 0; i < ETH_ALEN; i++) {
    if (h->to[i] != own->mac[i])
      return 0;
  }
  return 1;
}

static __always_inline int is_my_address(const struct hg_address* a) {
  const struct hg_own* own = own_names();

  if (!own)
    return 0;
  for (__u32 i = 0; i < HG_OWN_ADDRESSES && i < own->addresses; i++) {
    const struct hg_address* mine = &own->ip[i];

    if (mine->words[0] == a->words[0] && mine->words[1] == a->words[1] && mine->words[2] == a->words[2] &&
        mine->words[3] == a->words[3])
      return 1;
  }
  return 0;
}

/* Whether PTP is meant for the box, and neither for another service of it nor for hosts that it routes to. */
static __always_inline int is_ptp_for_me(const struct headers* h) {
  if (!h->is_ip)
    return is_mine(h) || is_ptp_mac_group(h);
  if (is_group(h))
    return is_ptp_ip_group(&h->destination);
  return is_mine(h) && is_my_address(&h->destination);
}

static __always_inline int matches(const volatile struct hg_management_rule* rule, const struct headers* h,
                                   int to_box) {
  if (rule->ethertype)
    return rule->ethertype == h->ethertype;
  return to_box && rule->protocol == h->protocol && rule->port == h->destination_port;
}

static __always_inline int is_management(const struct headers* h) {
  int to_box = is_group(h) || is_mine(h);

  for (__u32 i = 0; i < HG_MANAGEMENT_RULES && i < config.management_rules; i++) {
    if (matches(&config.management[i], h, to_box))
      return 1;
  }
  return 0;
}

static __always_inline __u32 class_of_ip(const struct headers* h) {
  int group = is_group(h);

  if (h->ethertype == bpf_htons(ETH_P_IP))
    return group ? HG_CLASS_IPV4_MULTICAST : HG_CLASS_IPV4;
  if (h->protocol == ICMPV6 && h->icmp_type >= ND_FIRST && h->icmp_type <= ND_LAST)
    return HG_CLASS_ND;
  return group ? HG_CLASS_IPV6_MULTICAST : HG_CLASS_IPV6;
}

static __always_inline __u32 class_of(const struct headers* h) {
  if (is_ptp(h))
    return HG_CLASS_PTP;
  if (is_management(h))
    return HG_CLASS_MANAGEMENT;
  if (h->ethertype == bpf_htons(ETH_P_ARP))
    return HG_CLASS_ARP;
  return h->is_ip ? class_of_ip(h) : HG_CLASS_OTHER;
}

static __always_inline struct hg_robot* robot_of(const __u8* mac) {
  struct hg_mac key = {};

  __builtin_memcpy(key.bytes, mac, ETH_ALEN);
  return bpf_map_lookup_elem(&hg_macs, &key);
}

/* Whether a robot of this port is the sender. */
static __always_inline int is_own_robot(const struct headers* h) {
  const __u8 open[ETH_ALEN] = {HG_OPEN_PORT, 0, 0, 0, (__u8)(config.port >> 8), (__u8)config.port};
  struct hg_robot* sender = robot_of(h->from);

  return !(h->from[0] & 1) && (sender ? sender->port == config.port : robot_of(open) != NULL);
}

/* As a cable between all ports, for their own robots: to the receiver's, to all others if unknown or a group. */
static __always_inline int wire(const struct headers* h, __u64 length) {
  struct hg_robot* receiver = is_group(h) ? NULL : robot_of(h->to);
  int own = is_own_robot(h);

  count(&hg_outcome_counters, own ? HG_OUTCOME_WIRED : HG_OUTCOME_SPOOFED, length);
  if (!own)
    return XDP_DROP;
  if (!receiver)
    return bpf_redirect_map(&hg_ports, 0, BPF_F_BROADCAST | BPF_F_EXCLUDE_INGRESS);
  if (receiver->port == config.port)
    return XDP_DROP; /* it got the frame where it came from */
  return bpf_redirect_map(&hg_ports, receiver->port, XDP_DROP);
}

static __always_inline int is_alive(const struct hg_plane* plane, __u64 now, __u32 queue) {
  /* The packet loop's clock may be ahead by a little. */
  __s64 age = (__s64)(now - *(volatile const __u64*)&plane->beat_ns);

  if (!bpf_map_lookup_elem(&hg_sockets, &queue))
    return 0;
  /* Nothing passes a late path anyway: a closed port keeps its frames waiting. */
  return config.fail == HG_FAIL_BLOCK || age <= (__s64)plane->stale_ns;
}

/* The verdict of a link between robots of two ports, when it has one of its own; else -1. */
static __always_inline int decide_link(const struct headers* h, const struct hg_plane* plane, __u64 length) {
  struct hg_robot* from;
  struct hg_robot* to;
  __u32 link;
  __u32* decision;

  if (is_group(h))
    return -1;
  from = robot_of(h->from);
  to = robot_of(h->to);
  if (!from || !to || from->port != config.port || to->port == config.port)
    return -1;
  link = from->robot * plane->robots + to->robot;
  decision = bpf_map_lookup_elem(&hg_links, &link);
  if (!decision || *decision == HG_LINK_USER)
    return -1;
  count(&hg_link_counters, link, length);
  if (*decision == HG_LINK_DROP) {
    count(&hg_outcome_counters, HG_OUTCOME_LINK_DROP, length);
    return XDP_DROP;
  }
  count(&hg_outcome_counters, HG_OUTCOME_LINK_PASS, length);
  return bpf_redirect_map(&hg_ports, to->port, XDP_DROP);
}

/* What the kernel does with a frame on its own; -1 when it is for the socket. */
static __always_inline int decide(const struct headers* h, __u32 frame_class, __u64 now, __u32 queue, __u64 length) {
  __u32 zero = 0;
  struct hg_plane* plane = bpf_map_lookup_elem(&hg_plane, &zero);
  int alive;

  if (!plane || !config.managed)
    return -1;
  alive = config.fail == HG_FAIL_NONE || is_alive(plane, now, queue);
  if (plane->wired || (!alive && config.fail == HG_FAIL_WIRE))
    return wire(h, length);
  if (!alive) {
    count(&hg_outcome_counters, HG_OUTCOME_BLOCKED, length);
    return XDP_DROP;
  }
  /* The time that PTP spends in the box is known to the packet loop alone. */
  return config.kernel_links && frame_class != HG_CLASS_PTP ? decide_link(h, plane, length) : -1;
}

#ifdef HG_DEVICE_TIMESTAMPS

extern int bpf_xdp_metadata_rx_timestamp(const struct xdp_md* ctx, __u64* timestamp) __ksym;

typedef struct hg_timed_meta note;
#define MAGIC HG_META_MAGIC_TIMED

static __always_inline struct hg_frame_meta* frame_meta(note* noted) {
  return &noted->frame;
}

/* Before the note is written: some NICs put the timestamp where it comes to lie. */
static __always_inline __s64 device_time(struct xdp_md* ctx) {
  __u64 time = 0;
  int error = bpf_xdp_metadata_rx_timestamp(ctx, &time);

  return error ? error : (__s64)time;
}

static __always_inline void note_device_time(note* noted, __s64 time) {
  noted->device_ns = time;
}

#else

typedef struct hg_frame_meta note;
#define MAGIC HG_META_MAGIC

static __always_inline struct hg_frame_meta* frame_meta(note* noted) {
  return noted;
}
static __always_inline __s64 device_time(struct xdp_md* ctx) {
  (void)ctx;
  return 0;
}
static __always_inline void note_device_time(note* noted, __s64 time) {
  (void)noted;
  (void)time;
}

#endif

/* Without room for it (a driver that has no metadata) the frame passes unstamped; the port then stamps it. */
static __always_inline void stamp(struct xdp_md* ctx, __u64 now, __u32 frame_class) {
  __s64 time = device_time(ctx);
  struct hg_frame_meta* meta;
  note* noted;

  if (bpf_xdp_adjust_meta(ctx, -(int)sizeof(*noted)))
    return;
  noted = (void*)(long)ctx->data_meta;
  if ((void*)(noted + 1) > (void*)(long)ctx->data)
    return;
  note_device_time(noted, time);
  meta = frame_meta(noted);
  meta->arrived_ns = now;
  meta->magic = MAGIC;
  meta->frame_class = frame_class;
}

static __always_inline int to_socket(struct xdp_md* ctx, __u64 now, __u32 frame_class, __u64 length) {
  __u32 queue = ctx->rx_queue_index;

  if (!bpf_map_lookup_elem(&hg_sockets, &queue)) {
    count(&hg_outcome_counters, HG_OUTCOME_NO_SOCKET, length);
    return XDP_DROP;
  }
  stamp(ctx, now, frame_class);
  count(&hg_outcome_counters, HG_OUTCOME_SOCKET, length);
  return bpf_redirect_map(&hg_sockets, queue, XDP_DROP);
}

SEC("xdp.frags")
int hg_capture(struct xdp_md* ctx) {
  __u64 now = bpf_ktime_get_ns();
  __u64 length = bpf_xdp_get_buff_len(ctx);
  struct headers h;
  __u32 frame_class;
  int verdict;

  __builtin_memset(&h, 0, sizeof(h)); /* with its padding */
  if (parse(ctx, &h) < 0) {
    count(&hg_class_counters, HG_CLASS_RUNT, length);
    return to_socket(ctx, now, HG_CLASS_RUNT, length);
  }
  frame_class = class_of(&h);
  count(&hg_class_counters, frame_class, length);
  if ((frame_class == HG_CLASS_PTP && config.ptp_served && is_ptp_for_me(&h)) || frame_class == HG_CLASS_MANAGEMENT) {
    count(&hg_outcome_counters, HG_OUTCOME_KERNEL, length);
    return XDP_PASS;
  }
  verdict = decide(&h, frame_class, now, ctx->rx_queue_index, length);
  return verdict >= 0 ? verdict : to_socket(ctx, now, frame_class, length);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
