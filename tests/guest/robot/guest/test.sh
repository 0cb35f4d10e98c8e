#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two robots in one guest: red, and blue in a namespace. Their traffic goes through the appliance.
ip addr add 10.77.0.1/24 dev red
ip link set red up
ip netns add blue
ip link set blue netns blue
ip -n blue link set lo up
ip -n blue addr add 10.77.0.2/24 dev blue
ip -n blue link set blue up

eventually 300 "red reaches blue through the appliance" ping -c 1 -W 2 10.77.0.2
ping -c 20 -i 0.5 -W 10 10.77.0.2 >pings
received=$(awk '/ received/ {print $4}' pings)
check "at least 18 of red's 20 pings come back" "$((received >= 18))" 1
