# SPDX-License-Identifier: Apache-2.0
"""The page under a name, behind the proxies of examples/web as Debian has them."""
import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import time

import pytest

from requests_test import PATIENCE, TOKEN, ask, control, web_of

NAME = "robots.example.org"
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "web"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def page(tmp_path, *options):
    process, said = web_of("yard", "--listen", "127.0.0.1:0", "--name", NAME, *options)
    try:
        yield int(said.rsplit(":", 1)[1].strip().rstrip("/"))
    finally:
        process.terminate()
        assert process.wait(PATIENCE) == 0


@pytest.fixture
def token_file(tmp_path):
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    file.chmod(0o600)
    return file


def caddy(folder, port, page_port):
    text = (EXAMPLES / "Caddyfile").read_text(encoding="utf-8")
    text = text.replace("127.0.0.1:8080", f"127.0.0.1:{page_port}").replace(f"{NAME} {{", f"{NAME}:{port} {{")
    (folder / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n"
                                      f"\tstorage file_system {folder}/caddy\n}}\n" + text, encoding="utf-8")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


def nginx(folder, port, page_port):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={NAME}", "-days", "2",
                    "-keyout", str(folder / "key"), "-out", str(folder / "pem")], check=True, capture_output=True)
    text = (EXAMPLES / "nginx.conf").read_text(encoding="utf-8")
    for here, there in [("listen 443", f"listen 127.0.0.1:{port}"), ("127.0.0.1:8080", f"127.0.0.1:{page_port}"),
                        (f"/etc/ssl/private/{NAME}.key", f"{folder}/key"), (f"/etc/ssl/{NAME}.pem", f"{folder}/pem")]:
        assert here in text
        text = text.replace(here, there)
    temporary = " ".join(f"{each}_temp_path {folder}/{each};" for each in ("client_body", "proxy", "fastcgi", "uwsgi",
                                                                             "scgi"))
    (folder / "nginx.conf").write_text(f"daemon off; pid {folder}/pid; error_log {folder}/error.log;\nevents {{}}\n"
                                       f"http {{ access_log off; {temporary}\n{text}}}\n", encoding="utf-8")
    return ["nginx", "-c", str(folder / "nginx.conf"), "-p", str(folder)]


def curl(port, path, *options):
    done = subprocess.run(["curl", "-sk", "--max-time", "20", "--resolve", f"{NAME}:{port}:127.0.0.1", "-w",
                           "\n%{http_code}", *options, f"https://{NAME}:{port}{path}"], capture_output=True, text=True,
                          check=False)
    text, status = done.stdout.rsplit("\n", 1)
    return int(status), text


@contextlib.contextmanager
def proxy(command, port):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + PATIENCE
        while curl(port, "/")[0] == 0:
            assert process.poll() is None and time.monotonic() < deadline, f"{command[0]} does not start"
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


@pytest.mark.parametrize("make", [caddy, nginx])
def test_the_page_behind_a_proxy(running, tmp_path, token_file, make):
    if not shutil.which(make.__name__):
        pytest.skip(f"{make.__name__} is not installed")
    port = free_port()
    right = ["-H", f"Authorization: Bearer {TOKEN}"]
    with page(tmp_path, "--token-file", str(token_file)) as own, proxy(make(tmp_path, port, own), port):
        status, text = curl(port, "/")
        assert status == 200 and "<title>hilgate</title>" in text
        assert curl(port, "/rights")[0] == 401
        assert json.loads(curl(port, "/rights", *right)[1]) == {"change": True}
        change = ["-H", "Content-Type: application/json", "-H", f"Origin: https://{NAME}:{port}", "-H",
                  "Sec-Fetch-Site: same-origin", "-d", '{"command": "get", "keys": ["seed"]}']
        status, text = curl(port, "/control", *right, *change)
        assert status == 200 and json.loads(text)["ok"], text
        other = ["-H", "Content-Type: application/json", "-H", "Origin: https://evil.example", "-d", "{}"]
        assert curl(port, "/control", *right, *other)[0] == 403
        begin = time.monotonic()
        events = subprocess.Popen(["curl", "-skN", "--resolve", f"{NAME}:{port}:127.0.0.1", *right,
                                   f"https://{NAME}:{port}/events"], stdout=subprocess.PIPE, text=True)
        try:
            for _ in range(4):  # one at a time, and not as many together as fill a proxy's buffer
                line = events.stdout.readline()
                while not line.startswith("data:"):
                    line = events.stdout.readline()
                assert json.loads(line.removeprefix("data:"))["answer"]["ok"]
            assert time.monotonic() - begin < 20
        finally:
            events.terminate()
            events.wait(PATIENCE)


def test_names_that_are_not_configured_are_refused(running, tmp_path):
    with page(tmp_path) as port:
        assert ask(port, "GET", "/", Host=NAME)[0] == 200
        assert ask(port, "GET", "/", Host=NAME.upper() + ":443")[0] == 200
        assert ask(port, "GET", "/", Host=NAME + ".", Origin=f"https://{NAME}.")[0] == 200
        assert ask(port, "GET", "/", Host="evil.example")[0] == 421
        assert ask(port, "GET", "/", Host=NAME + ".evil.example")[0] == 421
        assert ask(port, "GET", "/", Host="192.0.2.7")[0] == 421


def test_names_are_addresses_as_well(running, tmp_path):
    with page(tmp_path, "--name", "192.0.2.7", "--name", "[2001:db8::7]") as port:
        for host in ("192.0.2.7", "192.0.2.7:8443", "[2001:db8::7]", "[2001:DB8:0::7]:8443"):
            assert ask(port, "GET", "/", Host=host, Origin=f"https://{host}")[0] == 200, host
        for host in ("192.0.2.8", "[2001:db8::8]", "2001:db8::7"):
            assert ask(port, "GET", "/", Host=host)[0] == 421, host


def test_without_a_token_nobody_changes_the_run_through_a_proxy(running, tmp_path):
    with page(tmp_path) as port:  # whose connections are of this user, as a proxy's would be
        assert json.loads(ask(port, "GET", "/rights", Host=NAME)[1]) == {"change": False}
        status, text = control(port, {"command": "reload"}, Host=NAME, Origin=f"https://{NAME}")
        assert status == 403 and "token" in text


def test_a_name_is_a_name(running, tmp_path):
    process, said = web_of("yard", "--listen", "127.0.0.1:0", "--name", f"https://{NAME}/")
    assert process.wait(PATIENCE) == 1 and "is no name of a host" in said
