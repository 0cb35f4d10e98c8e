#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# units_test.sh BUILD_DIR: installs into an empty folder and asks systemd whether it understands what is there.
set -euo pipefail
build=$1
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

DESTDIR=$stage cmake --install "$build" >"$stage.log" 2>&1 || { cat "$stage.log" >&2; fail "cmake --install"; }
rm -f "$stage.log"
mapfile -t units < <(find "$stage" -name 'hilgate*.service' ! -name 'hilgate-ptp*' ! -name 'hilgate-phc2sys*' | sort)
expected=("hilgate-close@.service" "hilgate-gz@.service" "hilgate-metrics.service" "hilgate-ns3@.service"
  "hilgate-serve@.service" "hilgate-tuning.service" "hilgate.service" "hilgate@.service")
[[ $(printf '%s\n' "${units[@]##*/}" | LC_ALL=C sort) == $(printf '%s\n' "${expected[@]}" | LC_ALL=C sort) ]] ||
  fail "installed units are ${units[*]##*/}"
config=$stage/etc/hilgate/hilgate.yaml
[[ -f $config ]] || fail "no default configuration"

# The programs that the units start are where they say.
for unit in "${units[@]}"; do
  program=$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' "$unit")
  [[ $program == /* ]] || fail "$unit starts '$program', which is no absolute path"
  # ns-3 and Gazebo may be left out of a build; their units have a condition for that.
  [[ -x $stage$program || $program == */hilgate-@(gz|ns3) ]] || fail "$unit starts $program, which is not installed"
done

# systemd-analyze looks programs up on this machine, so the staged one is named in a copy of the unit.
copies=$stage/verify
mkdir "$copies"
prefix=$(sed -n 's#^ExecStart=\(/.*\)/bin/hilgated.*#\1#p' "$(find "$stage" -name hilgate.service)")
for simulator in hilgate-gz hilgate-ns3; do
  [[ -e $stage$prefix/bin/$simulator ]] || ln -s /bin/true "$stage$prefix/bin/$simulator"
done
for unit in "${units[@]}"; do
  sed -E "s#^(Exec[A-Za-z]+=)(\+?)($prefix)#\1\2$stage\3#" "$unit" >"$copies/$(basename "$unit")"
done
said=$(systemd-analyze verify --man=no --recursive-errors=no "$copies"/*.service 2>&1) ||
  fail "systemd-analyze verify: $said"
[[ -z $said ]] || fail "systemd-analyze verify warns: $said"

systemd-sysusers --dry-run --root="$stage" "$(find "$stage" -path '*sysusers.d/hilgate.conf')" >/dev/null ||
  fail "systemd-sysusers does not take sysusers.d/hilgate.conf"

# A second installation keeps the configuration that somebody has edited.
echo "# edited" >>"$config"
DESTDIR=$stage cmake --install "$build" >/dev/null
tail -n1 "$config" | grep -qx '# edited' || fail "a second installation overwrote $config"
echo "units, programs and configuration are installed as they should be"
