# SPDX-License-Identifier: Apache-2.0
"""A real systemd in a container (systemd-nspawn) with the tree's build installed: an overlay over this machine's own
root, or over HILGATE_CONTAINER_ROOT, so that each container is clean and nothing is downloaded."""
import fnmatch
import json
import os
import shutil
import subprocess
import tempfile
import time

PATIENCE = 90  # seconds for anything to happen on a loaded machine
SKIPPED = 77   # ctest's SKIP_RETURN_CODE
MACHINE_ID = "68696c67617465000000000000000001"
# What would change the machine itself, which lends its kernel.
MASKED = ("apparmor.service", "kmod-static-nodes.service", "proc-sys-fs-binfmt_misc.automount",
          "systemd-binfmt.service", "systemd-hwdb-update.service", "systemd-modules-load.service",
          "systemd-random-seed.service", "systemd-remount-fs.service", "systemd-sysctl.service",
          "systemd-udev-trigger.service", "systemd-udevd.service", "systemd-udevd-control.socket",
          "systemd-udevd-kernel.socket")
TARGET = """[Unit]
Description=what the tests need
Requires=basic.target
After=basic.target
AllowIsolate=yes
"""


class CannotRun(Exception):
    """This machine has no containers; the text says what is missing."""


def sh(*argv, check=True, **more):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, argv))}: status {done.returncode}\n{done.stdout}")
    return done


def until(what, good, patience=PATIENCE):
    """Asks `good` until it says something true, which is returned."""
    end = time.monotonic() + patience
    while True:
        said = good()
        if said:
            return said
        if time.monotonic() > end:
            raise AssertionError(f"not within {patience} s: {what}")
        time.sleep(0.1)


class Container:
    """Booted when made, gone when closed. Its files are below `root`. `build`: the tree that is installed first; None:
    nothing is."""

    def __init__(self, build=None):
        if os.geteuid() != 0:
            raise CannotRun("it takes root")
        for program in ("systemd-nspawn", "nsenter"):
            if shutil.which(program) is None:
                raise CannotRun(f"{program} is not installed (Debian: systemd-container, util-linux)")
        self.folder = tempfile.mkdtemp(prefix="hgt-container-")
        self.root = os.path.join(self.folder, "root")
        self.nspawn = None
        self.mounts = []
        try:
            self._mount()
            self._clean()
            if build is not None:
                self._install(build)
            self._boot()
            if build is not None:
                self("systemd-sysusers; systemd-tmpfiles --create /usr/local/lib/tmpfiles.d/hilgate.conf")
        except BaseException:
            self.close()
            raise

    def _mount(self):
        # In a chroot or beside the old hierarchies: this mount is seen by the test alone.
        if sh("stat", "-f", "-c", "%T", "/sys/fs/cgroup").stdout.strip() != "cgroup2fs":
            done = sh("mount", "-t", "cgroup2", "cgroup2", "/sys/fs/cgroup", check=False)
            if done.returncode != 0:
                raise CannotRun(f"no control groups at /sys/fs/cgroup: {done.stdout.strip()}")
            self.mounts.append("/sys/fs/cgroup")
        # A tmpfs: what overlays lie on cannot be another overlay, which the machine's own root may be.
        sh("mount", "-t", "tmpfs", "-o", "mode=0755", "hilgate-container", self.folder)
        self.mounts.append(self.folder)
        for name in ("root", "upper", "work"):
            os.mkdir(os.path.join(self.folder, name))
        lower = os.environ.get("HILGATE_CONTAINER_ROOT", "/")
        done = sh("mount", "-t", "overlay", "hilgate-container", "-o",
                  f"lowerdir={lower},upperdir={self.folder}/upper,workdir={self.folder}/work", self.root, check=False)
        if done.returncode != 0:
            raise CannotRun(f"no overlay over {lower}: {done.stdout.strip()}")
        self.mounts.append(self.root)

    def _clean(self):
        """Nothing of the machine's own services, mounts and networks starts."""
        if not os.path.exists(self.path("/lib/systemd/systemd")):
            raise CannotRun("no systemd in the root (Debian: systemd)")
        shutil.rmtree(self.path("/etc/systemd/system"), ignore_errors=True)
        for folder in ("/etc/systemd/system", "/etc/hilgate", "/run", "/tmp", "/var/log/journal"):
            shutil.rmtree(self.path(folder), ignore_errors=True)
            os.makedirs(self.path(folder), exist_ok=True)
        self.write("/etc/fstab", "")
        self.write("/etc/machine-id", MACHINE_ID + "\n")
        # LeakSanitizer stops the threads by ptrace, which the units' sandbox refuses: a sanitized program would fail.
        self.write("/etc/systemd/system.conf.d/sanitizers.conf",
                   "[Manager]\nDefaultEnvironment=ASAN_OPTIONS=detect_leaks=0:intercept_tls_get_addr=0\n")
        self.write("/etc/systemd/system/hilgate-test.target", TARGET)
        for unit in MASKED:
            os.symlink("/dev/null", self.path("/etc/systemd/system/" + unit))
        self.write("/etc/systemd/system/systemd-networkd-wait-online.service.d/none.conf",
                   "[Unit]\nConditionPathExists=/nonexistent\n")

    def _install(self, build):
        sh("cmake", "--install", build, "--strip", env={**os.environ, "DESTDIR": self.root})

    def _boot(self):
        console = os.path.join(self.folder, "console")
        log = open(console, "w")
        self.nspawn = subprocess.Popen(
            ["systemd-nspawn", "-q", "-D", self.root, "--register=no", "--keep-unit", "--capability=all",
             "--drop-capability=CAP_SYS_TIME,CAP_SYS_MODULE",
             "--private-network", "--system-call-filter=bpf perf_event_open @keyring", "--console=pipe",
             "--link-journal=no",
             "/lib/systemd/systemd", "systemd.unit=hilgate-test.target"],
            env={**os.environ, "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "1"},  # all of /sys, /sys/fs/bpf with it
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        log.close()

        def leader():
            if self.nspawn.poll() is not None:
                raise CannotRun("systemd-nspawn ended: " + open(console).read().strip())
            done = sh("pgrep", "-P", str(self.nspawn.pid), check=False)
            for pid in done.stdout.split():
                name = open(f"/proc/{pid}/comm").read().strip() if os.path.exists(f"/proc/{pid}/comm") else ""
                if name == "systemd":
                    return pid
            return None

        self.leader = until("a systemd in the container", leader)
        until("the container's systemd is up",
              lambda: self("systemctl is-system-running", check=False).stdout.strip() in ("running", "degraded"))
        self("mkdir -p /sys/fs/bpf; mount -t bpf bpf /sys/fs/bpf")

    def path(self, path):
        return self.root + path

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        with open(self.path(path), "w") as file:
            file.write(text)

    def written(self, pattern):
        """What the container has beyond the machine's own root, by name."""
        upper = os.path.join(self.folder, "upper")
        return [os.path.join(folder, name)[len(upper):] for folder, folders, files in os.walk(upper)
                for name in fnmatch.filter(folders + files, pattern)]

    def __call__(self, command, check=True):
        """A shell command in the container, as root."""
        return sh("nsenter", "-t", self.leader, "-m", "-n", "-p", "-i", "-u", "--", "/usr/bin/env", "-i",
                  "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "/bin/sh", "-ec", command,
                  check=check)

    def show(self, unit, key):
        return self(f"systemctl show -P {key} {unit}").stdout.strip()

    def is_active(self, unit):
        return self(f"systemctl is-active {unit}", check=False).stdout.strip() == "active"

    def journal(self, unit):
        return self(f"journalctl -u {unit} -o cat --no-pager").stdout

    def entries(self, match):
        """Entries of the journal as dictionaries."""
        return [json.loads(line) for line in self(f"journalctl -o json --no-pager {match}").stdout.splitlines()]

    def _leave_no_groups(self):
        """systemd-nspawn leaves the control groups that it has made in ours."""
        ours = next(line for line in open("/proc/self/cgroup") if line.startswith("0::"))[3:].strip()
        for name in ("payload", "supervisor"):
            for folder, _, _ in os.walk(f"/sys/fs/cgroup{ours}/{name}", topdown=False):
                try:
                    os.rmdir(folder)
                except OSError:  # of somebody else's container
                    pass

    def close(self):
        if self.nspawn is not None:
            self.nspawn.terminate()  # nspawn asks its init to power off
            try:
                self.nspawn.wait(20)
            except subprocess.TimeoutExpired:
                self.nspawn.kill()
                self.nspawn.wait()
            self._leave_no_groups()
        for mount in reversed(self.mounts):
            sh("umount", "-R", "-l", mount, check=False)
        os.rmdir(self.folder)
