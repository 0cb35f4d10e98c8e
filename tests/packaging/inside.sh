#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# inside.sh STEP: one step of package_test.sh, as root on the bare machine, with the packages in /mnt.
set -euo pipefail
step=$1
shift
config=/etc/hilgate/hilgate.yaml
example=/usr/share/hilgate/examples/first/two-robots.yaml
gateway=""

fail() {
  echo "FAILED: $step: $*" >&2
  exit 1
}

apt() { DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 "$@" </dev/null; }

# Ends with the lab removed, however it ends.
clean_up() {
  if [[ -n $gateway ]]; then kill "$gateway" 2>/dev/null || true; fi
  hilgate lab down "$example"
}

case $step in
  install)
    apt -q update >/dev/null
    apt install /mnt/*.deb
    [[ $(dpkg-query -W -f '${Version}' hilgate) == "$1" ]] || fail "another version is installed"
    getent passwd hilgate >/dev/null || fail "no user hilgate"
    hilgate check $config || fail "the default configuration is wrong"
    [[ ! -e /etc/systemd/system/multi-user.target.wants/hilgate.service ]] ||
      fail "the service is enabled before its configuration names this machine's ports"
    for unit in /lib/systemd/system/hilgate*.service; do
      program=$(sed -n 's/^ExecStart=-\?\([^ ]*\).*/\1/p' "$unit")
      if [[ $program == */hilgate && ! -x $program ]] || [[ $program == */hilgated && ! -x $program ]]; then
        fail "$unit starts $program, which is not there"
      fi
    done
    for page in man1/hilgate.1.gz man8/hilgated.8.gz; do
      zcat "/usr/share/man/$page" | grep -q '^\.SH SYNOPSIS' || fail "no manual page $page"
    done
    [[ -s /usr/share/doc/hilgate/html/index.html ]] || fail "the documentation is missing"
    sbom=/usr/share/doc/hilgate/sbom.spdx.json
    for part in "hilgate-$1" SPDX-2.3 libc6 libbpf1 libasio-dev; do
      grep -q "\"$part\"" $sbom || fail "$sbom does not name $part"
    done
    # As bash asks for what may follow "hilgate lab".
    words=$(bash -c 'source /usr/share/bash-completion/completions/hilgate
      COMP_WORDS=(hilgate lab "") COMP_CWORD=2
      _hilgate
      echo "${COMPREPLY[*]}"')
    [[ $words == *up*exec*down* ]] || fail "bash completes 'hilgate lab' with '$words'"
    ;;
  first)
    mount -t sysfs sysfs /sys
    mount -t bpf bpf /sys/fs/bpf
    ip link set lo up
    hilgate check $example
    trap clean_up EXIT
    hilgate lab up $example
    hilgate run $example &
    gateway=$!
    for ((tenth = 0; tenth < 300; ++tenth)); do
      if hilgate status first >/dev/null 2>&1; then break; fi
      sleep 0.1
    done
    hilgate lab exec $example red -- ping -c 5 10.77.0.2 || fail "nothing gets through"
    if dpkg-query -W python3-hilgate >/dev/null 2>&1; then
      python3 -c 'import hilgate; assert hilgate.Gateway().status().link("red", "blue").released >= 5' ||
        fail "the Python package does not see the gateway"
    fi
    kill -TERM $gateway
    wait $gateway || fail "the gateway ended with status $?"
    gateway=""
    ;;
  upgrade)
    echo "# edited" >>$config
    apt install /mnt/next/hilgate_*.deb
    [[ $(dpkg-query -W -f '${Version}' hilgate) == *+next ]] || fail "the next version is not installed"
    [[ $(tail -n1 $config) == "# edited" ]] || fail "$config was overwritten"
    hilgate check $config || fail "the edited configuration is wrong now"
    ;;
  remove)
    apt remove "$@"
    [[ -f $config ]] || fail "removing took $config, which belongs to purging"
    if command -v hilgate; then fail "removing left the program"; fi
    dpkg --purge "$@" # apt does not know those that left nothing
    left=$(find / -xdev -path /mnt -prune -o -path /var/cache/apt -prune -o -name '*hilgate*' -print)
    [[ -z $left ]] || fail "purging left $left"
    left=$(grep -rl hilgate /etc --exclude='*-' || true)
    [[ -z $left ]] || fail "purging left its name in $left"
    ;;
  *) fail "no such step" ;;
esac
