#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reference values of the rows `mesh` and `edca` of air_rows.py. Needs Debian's libns3-dev. Of a mesh, for each number
# of hops, the median of what half seconds carry in which the route stands; ns-3 3.37 ends some of these runs itself
# ("Invalid WifiPhy state").
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
g++ -std=c++17 -O1 mesh_chain.cc -o "$work/mesh_chain" -lns3-mesh -lns3-internet -lns3-mobility -lns3-wifi \
  -lns3-propagation -lns3-network -lns3-core
g++ -std=c++17 -O1 edca.cc -o "$work/edca" -lns3-internet -lns3-mobility -lns3-wifi -lns3-propagation -lns3-network \
  -lns3-core
for stations in e e,e k,e o; do
  echo "EDCA $stations: $("$work/edca" --stations=$stations)"
done
while read -r hops offered; do
  for seed in 1 2 3 4 5 6; do
    "$work/mesh_chain" --hops="$hops" --mode=OfdmRate6Mbps --mbps="$offered" --spacing=300 --seconds=12 --seed=$seed \
      2>/dev/null || true
  done | awk -v least="$offered" '$1 > 0.3 * least' | sort -n >"$work/spans"
  median=$(sed -n "$(($(wc -l <"$work/spans") / 2 + 1))p" "$work/spans")
  echo "$hops hops, $offered Mbit/s offered: $median Mbit/s, $(wc -l <"$work/spans") half seconds"
done <<'END'
1 5.5
2 2.7
3 1.8
4 1.4
5 1.3
END
