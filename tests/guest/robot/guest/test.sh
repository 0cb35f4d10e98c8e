#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two robots in one guest: red, whose clock is the guest's, and blue in a namespace. Their traffic goes through the
# appliance, and red's stock ptp4l follows the appliance's sim time.
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

ptp4l -f /guest/slave.conf >red-ptp4l 2>&1 &
red=$!
port_state() { pmc -u -b 0 -s /run/red.uds 'GET PORT_DATA_SET' | awk '/portState/ {print $2}'; }
is_slave() { [[ $(port_state) == SLAVE ]]; }
eventually 180 "red's ptp4l becomes a slave of the appliance" is_slave
has_rms() { (($(grep -c ' rms ' red-ptp4l) >= 40)); } # about one a second
eventually 180 "it reports 40 times how well it follows" has_rms
check "and stays one" "$(port_state)" SLAVE
pmc -u -b 0 -s /run/red.uds 'GET TIME_STATUS_NP' 'GET CURRENT_DATA_SET' 'GET PORT_DATA_SET' >red-pmc
kill "$red"
wait "$red"

# "ptp4l[75.1]: rms 1234 max 2345 freq +49999999 +/- 123 delay 456 +/- 7": the last 20 seconds of them.
awk '/ rms / {for (i = 1; i < NF; ++i) {if ($i == "rms") rms = $(i + 1); if ($i == "freq") freq = $(i + 1)}
  print rms, freq + 0}' \
  red-ptp4l | tail -n 20 >red-follows
median_rms=$(sort -n red-follows | awk '{value[NR] = $1} END {print NR ? value[int((NR + 1) / 2)] : "none"}')
mean_freq=$(awk '{sum += $2} END {print NR ? int(sum / NR) : "none"}' red-follows)
say "median rms $median_rms ns, mean frequency $mean_freq ppb"
check "it steers its clock to within 50 ms (median rms $median_rms ns)" "$((median_rms < 50000000))" 1
check "by the factor of the appliance, 0.95 (mean frequency $mean_freq ppb)" \
  "$((mean_freq > 49000000 && mean_freq < 51000000))" 1
check "and its calendar says what the appliance serves" "$(date -u +%Y-%m)" 2040-01
