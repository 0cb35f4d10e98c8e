# SPDX-License-Identifier: Apache-2.0
"""The page's server before clients that mean no good, or are broken. Whatever they do, the gateway moves frames."""
import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import time

import pytest

from conftest import let_pass, page_of
from hilgate.run import Run, program

PATIENCE = 60.0
TOKEN = "correct-horse-battery-staple"


@pytest.fixture(autouse=True)
def frames_go_on(running):
    before = running.gateway.status().raw
    yield
    deadline = time.monotonic() + PATIENCE
    while (after := running.gateway.status().raw)["totals"]["out"] <= before["totals"]["out"]:
        assert time.monotonic() < deadline, "the gateway delivers nothing any more"
        time.sleep(0.1)
    assert after["totals"]["balanced"]
    assert ask(running.port, "GET", "/")[0] == 200


def ask(port, method, path, body=None, **headers):
    """(status, text); header fields with _ for -."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def raw(port, data):
    """What is answered to these bytes, until the server closes."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        connection.sendall(data)
        answer = b""
        try:
            while piece := connection.recv(65536):
                answer += piece
        except ConnectionResetError:
            pass
        return answer.decode(errors="replace")


def control(port, request, **headers):
    return ask(port, "POST", "/control", json.dumps(request), Content_Type="application/json", **headers)


def test_the_page_asks_no_other_host(running):
    for path in "/", "/main.js", "/layout.css", "/views.css", "/icon.svg":
        status, text = ask(running.port, "GET", path)
        assert status == 200
        assert "//" not in text.replace("http://www.w3.org", "").replace("// ", "").replace("://", "") or path != "/"
    assert "https://" not in ask(running.port, "GET", "/")[1]


def test_unknown_paths_and_methods(running):
    for path in "/nothing", "/../etc/passwd", "/..%2f..%2fetc/passwd", "/%00", "//etc/passwd", "/main.js/", "*":
        assert ask(running.port, "GET", path)[0] == 404, path
    for method in "POST", "PUT", "DELETE", "TRACE", "OPTIONS", "BREW":
        assert ask(running.port, method, "/")[0] == 405, method
    assert ask(running.port, "GET", "/control")[0] == 405
    assert ask(running.port, "POST", "/history")[0] == 405


def test_what_is_no_request(running):
    for data in b"\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\0" * 100, \
            b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", \
            b"POST /control HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n":
        assert raw(running.port, data).startswith("HTTP/1.1 400 "), data
    # Two lengths are how requests are smuggled.
    assert raw(running.port, b"POST /control HTTP/1.1\r\nHost: localhost\r\n"
               b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab").startswith("HTTP/1.1 400 ")


def test_requests_that_are_too_large(running):
    assert raw(running.port, b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n").startswith("HTTP/1.1 431 ")
    assert raw(running.port, b"GET / HTTP/1.1\r\n" + b"X: " + b"a" * 60_000 + b"\r\n\r\n").startswith("HTTP/1.1 431 ")
    assert raw(running.port, b"POST /control HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n"
               ).startswith("HTTP/1.1 413 ")


def test_another_name_for_this_address_is_refused(running):
    for host in "evil.example", f"evil.example:{running.port}", "localhost.evil.example", "127.0.0.1.evil.example", \
            "", "169.254.169.254":
        for path in "/", "/history", "/events", "/world":
            assert ask(running.port, "GET", path, Host=host)[0] == 421, host
        assert control(running.port, {"command": "reload"}, Host=host)[0] == 421
    for host in "localhost", "127.0.0.1", f"127.0.0.1:{running.port}", "[::1]:8080", "LOCALHOST:1":
        assert ask(running.port, "GET", "/world", Host=host)[0] == 200, host


def test_requests_by_other_pages_are_refused(running):
    here = f"127.0.0.1:{running.port}"
    for headers in {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"}, \
            {"Sec_Fetch_Site": "same-site"}, {"Origin": "http://127.0.0.1:1"}, {"Sec_Fetch_Site": "none"}:
        assert control(running.port, {"command": "reload"}, Host=here, **headers)[0] == 403, headers
    assert ask(running.port, "GET", "/history", Host=here, Sec_Fetch_Site="cross-site")[0] == 403
    # A form of another page can send these two, and neither a change.
    for kind in "text/plain", "application/x-www-form-urlencoded":
        assert ask(running.port, "POST", "/control", '{"command": "reload"}', Content_Type=kind)[0] == 415
    answer = control(running.port, {"command": "get", "keys": ["seed"]}, Host=here, Origin=f"http://{here}",
                     Sec_Fetch_Site="same-origin")
    assert answer[0] == 200 and json.loads(answer[1])["ok"]


def test_commands_that_are_none_of_the_page(running):
    for request in [], 5, {}, {"command": 3}, {"command": "capture"}, {"command": "status"}, {"command": "x" * 60_000}:
        assert control(running.port, request)[0] == 400, request
    assert ask(running.port, "POST", "/control", "{" * 60_000, Content_Type="application/json")[0] == 400
    status, text = control(running.port, {"command": "set", "values": ["window=never"]})
    assert status == 200 and not json.loads(text)["ok"] and json.loads(text)["faults"]


def radio(port, question):
    return ask(port, "POST", "/radio", json.dumps(question), Content_Type="application/json")


def test_questions_about_radios(running):
    right = {"profile": "wifi_11n_2g4_adhoc", "distance_m": 60, "heights_m": [1, 4], "walls": ["brick:20cm"]}
    status, text = radio(running.port, right)
    assert status == 200 and set(json.loads(text)) == {"profile", "link", "range"}
    for wrong in {"profile": "../../etc/passwd"}, {"profile": "/etc/passwd"}, {"profile": ""}, {"profile": "nobody"}, \
            {"profile": 5}, {"distance_m": -1}, {"distance_m": "60m"}, {"distance_m": 1e300}, {"heights_m": [1]}, \
            {"heights_m": 7}, {"walls": ["brick"] * 9}, {"walls": ["nothing"]}, {"walls": "brick"}, {"walls": [{}]}:
        assert radio(running.port, {**right, **wrong})[0] == 400, wrong
    for wrong in [], 5, None, "x":
        assert radio(running.port, wrong)[0] == 400, wrong
    assert ask(running.port, "POST", "/radio", json.dumps(right), Content_Type="text/plain")[0] == 415


def blocks_of(capture):
    """The types of the blocks of a file in pcapng."""
    types, at = [], 0
    while at < len(capture):
        kind, length = struct.unpack_from("<II", capture, at)
        types.append(kind)
        at += length
    assert at == len(capture), "the last block is not whole"
    return types


def test_a_capture(running):
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=PATIENCE)
    connection.request("POST", "/capture", json.dumps({"seconds": 3, "links": [["green", "base"]]}),
                       {"Content-Type": "application/json"})
    types = blocks_of(connection.getresponse().read())
    connection.close()
    assert types[0] == 0x0A0D0D0A and 6 in types  # section header, enhanced packet
    for wrong in [], {}, {"seconds": 0}, {"seconds": 601}, {"seconds": "1"}, {"seconds": 1.5}, \
            {"seconds": 1, "links": [["green", "nobody"]]}, {"seconds": 1, "links": 5}, {"seconds": 1, "reasons": [{}]}:
        answer = ask(running.port, "POST", "/capture", json.dumps(wrong), Content_Type="application/json")
        assert answer[0] == 400, wrong
    # One that goes away in the middle.
    with socket.create_connection(("127.0.0.1", running.port), PATIENCE) as watcher:
        body = b'{"seconds": 60}'
        watcher.sendall(b"POST /capture HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                        b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        assert watcher.recv(100).startswith(b"HTTP/1.1 200 ")
    deadline = time.monotonic() + PATIENCE
    while running.gateway.status().raw["capture"]["going_on"] > 0:
        assert time.monotonic() < deadline, "the capture goes on"
        time.sleep(0.1)


def test_two_hundred_connections_that_say_nothing(running):
    idle = []
    for _ in range(200):
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex(("127.0.0.1", running.port))
        idle.append(connection)
    # The kernel's queue is first in, first out: whoever comes after them is answered, or sent away, after all of them.
    with contextlib.suppress(OSError, http.client.HTTPException):
        ask(running.port, "GET", "/")
    assert running.gateway.status().raw["totals"]["balanced"]
    for connection in idle:
        connection.close()
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            assert ask(running.port, "GET", "/")[0] == 200
            return
        except (OSError, http.client.HTTPException):
            assert time.monotonic() < deadline
            time.sleep(0.2)


def test_slow_clients_are_sent_away(running):
    with socket.create_connection(("127.0.0.1", running.port), PATIENCE) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: local")
        assert slow.recv(1000) == b""  # after 5 s
    # One that watches and reads nothing.
    with socket.create_connection(("127.0.0.1", running.port), PATIENCE) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        deaf.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        deaf.setblocking(False)
        let_pass(running.gateway, 2)  # two reports that it does not take
        assert ask(running.port, "GET", "/world")[0] == 200


def test_watchers_that_go_away_in_the_middle(running):
    for _ in range(40):
        with socket.create_connection(("127.0.0.1", running.port), PATIENCE) as watcher:
            watcher.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert watcher.recv(100)[:13] in (b"HTTP/1.1 200 ", b"HTTP/1.1 503 ")  # before the last ones were missed


def test_more_watchers_than_there_is_room_for(running):
    watchers = []
    try:
        while True:
            watcher = socket.create_connection(("127.0.0.1", running.port), PATIENCE)
            watchers.append(watcher)
            watcher.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            if watcher.recv(20).startswith(b"HTTP/1.1 503 "):
                break
            assert len(watchers) <= 32
    finally:
        for watcher in watchers:
            watcher.close()


def test_watchers_of_one_user_keep_out_nobody_else(running):
    # In one process of user nobody, as quickly as it can, until it is refused.
    crowd = subprocess.Popen(["setpriv", "--reuid", "nobody", "--clear-groups", sys.executable, "-c", f"""
import signal, socket
watchers = []
while True:
    watcher = socket.create_connection(("127.0.0.1", {running.port}), {PATIENCE})
    watcher.sendall(b"GET /events HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
    watchers.append(watcher)
    if watcher.recv(20).startswith(b"HTTP/1.1 503 "):
        print("refused", flush=True)
        signal.pause()  # until it is killed
"""], stdout=subprocess.PIPE, text=True)
    try:
        assert crowd.stdout.readline() == "refused\n"
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", running.port), PATIENCE) as watcher:
                watcher.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert watcher.recv(13) == b"HTTP/1.1 200 "
    finally:
        crowd.kill()
        crowd.wait()


def pages_of(process):
    """The processes below one."""
    said = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True).stdout
    below = [int(each) for each in said.split()]
    return below + [deeper for each in below for deeper in pages_of(each)]


def test_the_page_comes_back_and_has_no_rights(running):
    supervisor, server = pages_of(running.gateway._process.pid)
    rights = pathlib.Path(f"/proc/{server}/status").read_text()
    assert "CapEff:\t0000000000000000" in rights and "NoNewPrivs:\t1" in rights
    assert int(pathlib.Path(f"/proc/{server}/stat").read_text().rsplit(")", 1)[1].split()[16]) >= 10  # nice
    os.kill(server, signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            assert ask(running.port, "GET", "/world")[0] == 200
            break
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.1)
    assert pages_of(supervisor) != [server]
    while any(each.name == "output_stopped" for each in running.gateway.status().conditions):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_the_page_ends_with_a_gateway_that_is_killed(tmp_path):
    file = tmp_path / "killed.yaml"
    file.write_text("name: killed\nnetsim: {type: wire}\nports: {red: {interface: killed-r, fail: none}}\n"
                    "robots: {red: {port: red, mac: '02:68:67:00:00:01'}}\nweb: {listen: '127.0.0.1:0'}\n")
    with Run(file) as run:
        port = int(page_of(run).rstrip("/").rsplit(":", 1)[1])
        assert ask(port, "GET", "/")[0] == 200
        run._process.kill()
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), PATIENCE).close()
            except ConnectionRefusedError:
                break
            assert time.monotonic() < deadline, "the page is still there"
            time.sleep(0.1)


def web_of(run, *arguments):
    process = subprocess.Popen([program(), "web", run, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True)
    return process, process.stdout.readline()


def test_a_token_is_asked_for(running, tmp_path):
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    file.chmod(0o600)
    process, said = web_of("yard", "--listen", "0.0.0.0:0", "--token-file", str(file))
    try:
        port = int(said.rsplit(":", 1)[1].strip().rstrip("/"))
        assert ask(port, "GET", "/")[0] == 200  # the page itself says nothing of the run
        for path in "/history", "/events", "/world", "/rights", "/tiles", "/plan", "/plan/image", "/nothing":
            assert ask(port, "GET", path)[0] == 401
            assert ask(port, "GET", path, Authorization=f"Bearer {TOKEN[:-1]}")[0] == 401
            assert ask(port, "GET", path, Authorization=f"Bearer {TOKEN}x")[0] == 401
            assert ask(port, "GET", path, Authorization=TOKEN)[0] == 401
        assert control(port, {"command": "reload"})[0] == 401
        right = {"Authorization": f"Bearer {TOKEN}"}
        assert ask(port, "GET", "/world", **right)[0] == 200
        assert json.loads(ask(port, "GET", "/rights", **right)[1]) == {"change": True}
        assert control(port, {"command": "get", "keys": ["seed"]}, **right)[0] == 200
        assert ask(port, "GET", "/world", Host="evil.example", **right)[0] == 421
    finally:
        process.terminate()
        assert process.wait(PATIENCE) == 0


def test_addresses_that_others_reach_need_a_token(running, tmp_path):
    process, said = web_of("yard", "--listen", "0.0.0.0:0")
    assert process.wait(PATIENCE) == 1 and "needs `token_file`" in said
    file = tmp_path / "token"
    file.write_text(TOKEN)
    file.chmod(0o644)
    process, said = web_of("yard", "--listen", "0.0.0.0:0", "--token-file", str(file))
    assert process.wait(PATIENCE) == 1 and "every user of this machine can read the token" in said
    process, said = web_of("yard", "--listen", f"127.0.0.1:{running.port}")
    assert process.wait(PATIENCE) == 1 and "cannot listen" in said


def test_others_on_this_machine_may_look_and_not_touch(running):
    script = ("import json, urllib.request as u; base = 'http://127.0.0.1:%d'; "
              "print(u.urlopen(base + '/rights').read().decode()); "
              "u.urlopen(u.Request(base + '/control', b'{\"command\": \"reload\"}', "
              "{'Content-Type': 'application/json'}))" % running.port)
    done = subprocess.run(["/usr/bin/python3", "-c", script], user=65534, group=65534, extra_groups=[],
                          capture_output=True, text=True)
    assert '{"change":false}' in done.stdout, done.stdout + done.stderr
    assert "403" in done.stderr
    assert json.loads(ask(running.port, "GET", "/rights")[1]) == {"change": True}


def test_a_unix_socket(running, tmp_path):
    path = tmp_path / "page.web"
    process, said = web_of("yard", "--listen", f"unix:{path}")
    try:
        assert said.strip() == f"web page at unix:{path}"
        assert path.stat().st_mode & 0o777 == 0o660
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            connection.sendall(b"GET /rights HTTP/1.1\r\nHost: anything\r\n\r\n")
            answer = b""
            while piece := connection.recv(4096):
                answer += piece
        assert answer.endswith(b'{"change":true}')
    finally:
        process.terminate()
        assert process.wait(PATIENCE) == 0
    assert not path.exists()
