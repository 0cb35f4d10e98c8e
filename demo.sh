#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two UAVs on patrol, with real traffic through the gateway. Installs and builds what is missing, brings the robots up
# as network namespaces, runs the gateway and the traffic, prints a result table and writes a report to look at. Leaves
# nothing behind but the report and the build.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: sudo ./demo.sh [--seconds N] [--report DIR] [--with NETSIM] [--programs DIR]
  --seconds N   length of the patrol, 10 to 3600 (default 130; the tracks are compressed or stretched to fit)
  --report DIR  where index.html, samples.csv and summary.json go (default: report/ beside this script)
  --with NETSIM whose air it is: embedded (default); ns3, a simulation by ns-3 (its report goes to report/ns3/); gz, the
                same with the robots as models of a world on Gazebo's transport (report/gz/).
                examples/patrol/side_by_side.py draws the reports of several runs in one page
  --programs DIR
                the programs of the build tree DIR, as they are; nothing is installed or built
TEXT
}

refuse() {
  echo "demo.sh: $*" >&2
  exit 2
}

fail() {
  echo "demo.sh: $*" >&2
  exit 1
}

root=$(dirname "$(readlink -f "$0")")
seconds=130
report=""
netsim=embedded
built=""
while (($# > 0)); do
  case $1 in
    --seconds | --report | --with | --programs)
      (($# >= 2)) || refuse "$1 needs a value"
      case $1 in
        --seconds) seconds=$2 ;;
        --report) report=$(realpath -m -- "$2") ;;
        --with) netsim=$2 ;;
        --programs) built=$(realpath -m -- "$2") ;;
      esac
      shift 2
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) refuse "unknown argument '$1'"$'\n'"$(usage)" ;;
  esac
done
if ! [[ $seconds =~ ^[0-9]{1,4}$ ]] || ((10#$seconds < 10 || 10#$seconds > 3600)); then
  refuse "--seconds is '$seconds'; allowed: a whole number from 10 to 3600"
fi
case $netsim in
  embedded) report=${report:-$root/report} ;;
  ns3 | gz) report=${report:-$root/report/$netsim} ;;
  *) refuse "--with is '$netsim'; allowed: embedded, ns3, gz" ;;
esac
((EUID == 0)) || refuse "network namespaces and XDP programs need root: run 'sudo ./demo.sh'"
cd "$root"

if [[ -n $built && ! -x $built/bin/hilgate ]]; then refuse "--programs is '$built'; there is no bin/hilgate"; fi
tree=${built:-$root/build/release}
hilgate=$tree/bin/hilgate
python=(/usr/bin/python3 -B) # Debian's, which has Debian's matplotlib; other Pythons may come first in PATH
run=""
packages=""
gateway=""
simulators=()
patrol=""
lab=""

step() { printf '\n== %s (%d s so far)\n' "$*" "$SECONDS"; }

# Ends a process of ours: asks, waits five seconds, insists.
stop() {
  local pid=$1
  kill -TERM "$pid" 2>/dev/null || true
  for ((tenth = 0; tenth < 50; ++tenth)); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
}

ground() {
  if [[ -n $patrol ]]; then stop "$patrol"; fi
  if [[ -n $gateway ]]; then
    stop "$gateway"
    rm -f /run/hilgate/patrol.sock # one that was killed has left it
  fi
  local simulator
  for simulator in "${simulators[@]}"; do stop "$simulator"; done
  patrol="" gateway="" simulators=()
  if [[ -n $lab ]]; then
    "$hilgate" lab down "$run/patrol.yaml" || echo "demo.sh: cannot remove the lab; see 'ip netns'" >&2
  fi
  lab=""
}

# Runs however the demo ends.
clean_up() {
  local status=$?
  trap '' INT TERM
  if [[ -n $packages ]]; then wait "$packages" || true; fi # dpkg is not to be interrupted
  ground
  if [[ -n $run ]]; then rm -rf "$run"; fi
  local made
  for made in "$root/build" "$report"; do # what root made in somebody's tree shall be theirs
    if [[ -d $made && $made == "$root"/* ]]; then chown -R --reference="$root" "$made"; fi
  done
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

exec 9>/run/lock/hilgate-demo.lock
flock -n 9 || fail "another demo is running on this machine"
run=$(mktemp -d /tmp/hilgate-demo.XXXXXX)

build_what_is_missing() {
  local lists=(build) targets=(hilgate) tests=OFF
  if [[ $netsim != embedded ]]; then lists+=(ns3) targets+=(hilgate-ns3); fi
  # The world that stands for Gazebo's server is a program of the tests.
  if [[ $netsim == gz ]]; then lists+=(gz test) targets+=(hilgate-gz gz_world_peer) tests=ON; fi
  step "packages"
  .ci/install-packages.sh "${lists[@]}"

  step "build"
  # What only runs is installed meanwhile; apt's messages would stand between the compiler's.
  .ci/install-packages.sh run demo >"$run/packages.log" 2>&1 &
  packages=$!
  cmake --preset release -D HILGATE_TESTS=$tests >"$run/configure.log" 2>&1 ||
    { cat "$run/configure.log" >&2; fail "cmake failed"; }
  cmake --build --preset release --target "${targets[@]}" --parallel "$(nproc)"
  wait "$packages" || { cat "$run/packages.log" >&2; fail "packages cannot be installed"; }
  packages=""
}
if [[ -z $built ]]; then build_what_is_missing; fi

step "robots"
"${python[@]}" examples/patrol/lay_out.py "$run" "$seconds" "$netsim"
"$hilgate" lab down "$run/patrol.yaml" >/dev/null # of a demo that was killed
lab=up
"$hilgate" lab up "$run/patrol.yaml" || fail "cannot create the robots' namespaces"

# Waits for the line of a program's output that reports it ready.
await() {
  local what=$1 pid=$2 log=$3 text=$4 by=$((SECONDS + 60))
  until grep -q "$text" "$log" 2>/dev/null; do
    if ! kill -0 "$pid" 2>/dev/null || ((SECONDS > by)); then
      cat "$log" >&2
      fail "$what did not start"
    fi
    sleep 0.1
  done
}

if [[ $netsim != embedded ]]; then
  nice -n -10 setpriv --pdeathsig TERM "${hilgate%/*}/hilgate-ns3" examples/patrol/ns3.yaml \
    --socket "unix:$run/netsim.sock" >"$run/ns3.log" 2>&1 9>&- &
  simulators+=($!)
  await "ns-3" $! "$run/ns3.log" "ready"
fi
if [[ $netsim == gz ]]; then
  export IGN_PARTITION=hilgate-demo-$$ IGN_IP=127.0.0.1 # nobody else's worlds, and nothing leaves this machine
  setpriv --pdeathsig TERM "$tree/tests/gz_world_peer" block --tracks "$run/tracks.csv" \
    >"$run/world.log" 2>&1 9>&- &
  simulators+=($!)
  await "the world" $! "$run/world.log" "the world is there"
  nice -n -10 setpriv --pdeathsig TERM "${hilgate%/*}/hilgate-gz" --sdf "$run/block.sdf" \
    --socket "unix:$run/physics.sock" >"$run/gz.log" 2>&1 9>&- &
  simulators+=($!)
  await "hilgate-gz" $! "$run/gz.log" "found, stepped"
fi

# It makes what the traffic needs while the gateway starts, and then waits for it.
nice -n -10 "${python[@]}" examples/patrol/drive.py "$hilgate" "$run" "$seconds" 9>&- &
patrol=$!
# pdeathsig: should this script be killed outright, the gateway ends as well.
# The packet path comes before what else this machine does, as in the service's unit.
nice -n -10 setpriv --pdeathsig TERM "$hilgate" run "$run/patrol.yaml" >"$run/gateway.log" 2>&1 9>&- &
gateway=$!
ready_by=$((SECONDS + 30))
until "$hilgate" status patrol >/dev/null 2>&1; do
  if ! kill -0 "$gateway" 2>/dev/null || ((SECONDS > ready_by)); then
    cat "$run/gateway.log" >&2
    fail "the gateway did not start"
  fi
  sleep 0.1
done

step "patrol of $seconds s"
if ! wait "$patrol"; then
  patrol=""
  cat "$run"/*.log >&2
  fail "the patrol did not finish"
fi
patrol=""
ground

step "report"
status=0
"${python[@]}" examples/patrol/report.py "$run" "$report" || status=$?
echo
echo "report: $report/index.html"
((status == 0)) || fail "the patrol failed its checks; see the lines above"
