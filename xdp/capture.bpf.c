// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
/*
 * Runs on every frame that arrives at a port: stamps it, classifies it, counts it, leaves PTP and management traffic to
 * the kernel and hands everything else to the AF_XDP socket of its rx queue.
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

static __always_inline void count(void* counters, __u32 key, __u64 bytes) {
  struct hg_counter* counter = bpf_map_lookup_elem(counters, &key);

  if (counter) {
    counter->frames++;
    counter->bytes += bytes;
  }
}

static __always_inline int is_mine(const struct ethhdr* ethernet) {
#pragma unroll
  for (int i = 0; i < ETH_ALEN; i++) {
    if (ethernet->h_dest[i] != config.mac[i])
      return 0;
  }
  return 1;
}

static __always_inline int matches(const volatile struct hg_management_rule* rule, const struct headers* h,
                                   int to_box) {
  if (rule->ethertype)
    return rule->ethertype == h->ethertype;
  return to_box && rule->protocol == h->protocol && (rule->port == h->destination_port || rule->port == h->source_port);
}

static __always_inline int is_management(const struct headers* h) {
  int to_box = is_group(h->ethernet) || is_mine(h->ethernet);

  for (__u32 i = 0; i < HG_MANAGEMENT_RULES && i < config.management_rules; i++) {
    if (matches(&config.management[i], h, to_box))
      return 1;
  }
  return 0;
}

static __always_inline __u32 class_of_ip(const struct headers* h) {
  int group = is_group(h->ethernet);

  if (h->ethertype == bpf_htons(ETH_P_IP))
    return group ? HG_CLASS_IPV4_MULTICAST : HG_CLASS_IPV4;
  if (h->protocol == ICMPV6 && h->icmp_type >= ND_FIRST && h->icmp_type <= ND_LAST)
    return HG_CLASS_ND;
  return group ? HG_CLASS_IPV6_MULTICAST : HG_CLASS_IPV6;
}

static __always_inline __u32 classify(struct xdp_md* ctx) {
  struct cursor c = {.at = (void*)(long)ctx->data, .end = (void*)(long)ctx->data_end};
  struct headers h = {};

  if (parse(&c, &h) < 0)
    return HG_CLASS_RUNT;
  if (is_ptp(&h))
    return HG_CLASS_PTP;
  if (is_management(&h))
    return HG_CLASS_MANAGEMENT;
  if (h.ethertype == bpf_htons(ETH_P_ARP))
    return HG_CLASS_ARP;
  return h.is_ip ? class_of_ip(&h) : HG_CLASS_OTHER;
}

/* Without room for it (a driver that has no metadata) the frame goes on unstamped; the port then stamps it. */
static __always_inline void stamp(struct xdp_md* ctx, __u64 now, __u32 frame_class) {
  struct hg_frame_meta* meta;

  if (bpf_xdp_adjust_meta(ctx, -(int)sizeof(*meta)))
    return;
  meta = (void*)(long)ctx->data_meta;
  if ((void*)(meta + 1) > (void*)(long)ctx->data)
    return;
  meta->arrived_ns = now;
  meta->magic = HG_META_MAGIC;
  meta->frame_class = frame_class;
}

SEC("xdp.frags")
int hg_capture(struct xdp_md* ctx) {
  __u64 now = bpf_ktime_get_ns();
  __u64 length = bpf_xdp_get_buff_len(ctx);
  __u32 frame_class = classify(ctx);
  __u32 queue = ctx->rx_queue_index;

  count(&hg_class_counters, frame_class, length);
  if (frame_class == HG_CLASS_PTP || frame_class == HG_CLASS_MANAGEMENT) {
    count(&hg_outcome_counters, HG_OUTCOME_KERNEL, length);
    return XDP_PASS;
  }
  if (!bpf_map_lookup_elem(&hg_sockets, &queue)) {
    count(&hg_outcome_counters, HG_OUTCOME_NO_SOCKET, length);
    return XDP_DROP;
  }
  stamp(ctx, now, frame_class);
  count(&hg_outcome_counters, HG_OUTCOME_SOCKET, length);
  return bpf_redirect_map(&hg_sockets, queue, XDP_DROP);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
