# SPDX-License-Identifier: Apache-2.0
"""A run in Foxglove: a client of its websocket protocol, and clients that mean no good or take nothing."""
import contextlib
import json
import pathlib
import re
import socket
import struct
import subprocess
import time

import pytest
import websocket

from conftest import PATIENCE, YARD
from hilgate.run import Lab, Run

PROTOCOL = "foxglove.websocket.v1"
ROOT = pathlib.Path(__file__).resolve().parents[2]
TOPICS = {"/tf", "/scene", "/hilgate/links", "/hilgate/conditions"}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The yard with Foxglove in place of the page: (gateway, port)."""
    text = re.sub(r"^name: .*$", "name: foxyard", YARD.read_text(), flags=re.MULTILINE)
    text = re.sub(r"^web: .*$", 'foxglove: {listen: "127.0.0.1:0", every: 50ms, origins: ["https://lab.example"]}',
                  text, flags=re.MULTILINE)
    file = tmp_path_factory.mktemp("foxglove") / "yard.yaml"
    file.write_text(text)
    with Lab(file), Run(file) as gateway:
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(r"Foxglove at ws://127\.0\.0\.1:(\d+)/", gateway.log())):
            assert time.monotonic() < deadline, gateway.log()
            time.sleep(0.05)
        yield gateway, int(found.group(1))
    assert gateway.status_at_end == 0, gateway.log()


class Client:
    def __init__(self, port, **options):
        options = {"subprotocols": [PROTOCOL], "suppress_origin": True, "timeout": PATIENCE, **options}
        self.socket = websocket.create_connection(f"ws://127.0.0.1:{port}/", **options)
        self.info = json.loads(self.socket.recv())
        self.channels = {channel["topic"]: channel for channel in json.loads(self.socket.recv())["channels"]}
        self.topics = {}  # by subscription

    def subscribe(self, *topics):
        for topic in topics:
            self.topics[len(self.topics) + 10] = topic
        self.say(op="subscribe", subscriptions=[{"id": id, "channelId": self.channels[topic]["id"]}
                                                for id, topic in self.topics.items() if topic in topics])

    def say(self, **message):
        self.socket.send(json.dumps(message))

    def hear(self):
        """(topic, message, s since 1970), or ("", status, 0)."""
        data = self.socket.recv()
        if data == "":  # the frame that closes
            raise websocket.WebSocketConnectionClosedException
        if isinstance(data, str):
            return "", json.loads(data), 0
        opcode, subscription, nanoseconds = struct.unpack("<BIQ", data[:13])
        assert opcode == 1
        return self.topics[subscription], json.loads(data[13:]), nanoseconds / 1e9

    def await_(self, topic, good=lambda message: True):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            heard, message, _ = self.hear()
            if heard == topic and good(message):
                return message
        raise AssertionError(f"nothing of {topic}")


def test_a_client_sees_the_run(served):
    gateway, port = served
    client = Client(port)
    assert client.info["op"] == "serverInfo" and client.info["name"] == "hilgate foxyard"
    assert set(client.channels) == TOPICS
    for channel in client.channels.values():
        assert json.loads(channel["schema"])["title"] == channel["schemaName"]
    client.subscribe(*TOPICS)
    robots = {robot.name for robot in gateway.status().robots}
    transforms = client.await_("/tf")["transforms"]
    assert {transform["child_frame_id"] for transform in transforms} == robots
    scene = client.await_("/scene")
    assert {entity["id"] for entity in scene["entities"]} == {f"robot {name}" for name in robots} | {"links"}
    links = client.await_("/hilgate/links")
    assert {link["from"] for link in links["links"]} == robots
    assert abs(links["timestamp"]["sec"] - time.time()) < 60
    with gateway.set({"links.*.*.loss": "100 %"}):
        client.await_("/scene", lambda message: any(
            line["color"]["g"] == 0 for entity in message["entities"] for line in entity["lines"]))
    client.say(op="unsubscribe", subscriptionIds=[id for id, topic in client.topics.items() if topic != "/tf"])
    client.say(op="subscribe", subscriptions=[{"id": 1, "channelId": 99}])  # is answered after it
    client.await_("", lambda message: "there is no channel 99" in message["message"])
    assert {client.hear()[0] for _ in range(20)} == {"/tf"}
    client.socket.close()


def test_conditions_are_logged(served):
    gateway, port = served
    client = Client(port)
    client.subscribe("/hilgate/conditions")
    interface = gateway.status().raw["ports"][0]["interface"]
    subprocess.run(["ip", "link", "set", interface, "down"], check=True)
    said = client.await_("/hilgate/conditions", lambda message: message["level"] >= 3)
    assert said["message"] and said["name"]
    late = Client(port)
    late.subscribe("/hilgate/conditions")
    assert late.await_("/hilgate/conditions", lambda message: message["name"] == said["name"])
    subprocess.run(["ip", "link", "set", interface, "up"], check=True)
    client.await_("/hilgate/conditions",
                  lambda message: message["name"] == said["name"] and message["message"].startswith("ended: "))


@pytest.mark.parametrize("options, status", [
    ({"suppress_origin": False, "origin": "https://evil.example"}, 403),
    ({"suppress_origin": False, "origin": "null"}, 403),
    ({"subprotocols": ["foxglove.websocket.v0"]}, 400),
])
def test_pages_of_others_and_other_protocols_are_refused(served, options, status):
    with pytest.raises(websocket.WebSocketBadStatusException) as refused:
        Client(served[1], **options)
    assert refused.value.status_code == status


@pytest.mark.parametrize("origin", ["https://lab.example", "file://"])
def test_pages_that_are_named_and_programs_may_come(served, origin):
    Client(served[1], suppress_origin=False, origin=origin).socket.close()


def test_a_browser_is_told_what_this_is(served):
    with socket.create_connection(("127.0.0.1", served[1]), PATIENCE) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert connection.recv(4096).startswith(b"HTTP/1.1 426 ")


def test_nonsense_ends_nothing(served):
    client = Client(served[1])
    for text in ("", "nonsense", "[]", "{}", '{"op": 1}', '{"op": "subscribe"}',
                 '{"op": "subscribe", "subscriptions": 3}',
                 '{"op": "subscribe", "subscriptions": [1, {}, {"id": -1, "channelId": "x"}]}',
                 '{"op": "unsubscribe", "subscriptionIds": [{}, -1, 7]}', "[" * 10000):
        client.socket.send(text)
    client.say(op="subscribe", subscriptions=[{"id": 1, "channelId": 99}])
    while "there is no channel 99" not in (said := client.hear()[1])["message"]:
        assert said["op"] == "status"
    client.subscribe("/tf")
    client.await_("/tf")
    client.socket.send("x" * 100_000)  # more than a client may say
    with pytest.raises((websocket.WebSocketConnectionClosedException, ConnectionError)):
        while True:
            client.hear()
    again = Client(served[1])
    again.subscribe("/tf")
    again.await_("/tf")


def test_a_client_that_takes_nothing_loses_messages_and_delays_nobody(served):
    gateway, port = served
    slow = Client(port, sockopt=((socket.SOL_SOCKET, socket.SO_RCVBUF, 4096),))
    for _ in range(15):
        slow.subscribe(*TOPICS)
    good = Client(port)
    good.subscribe("/tf")
    before = gateway.status().raw["window"]
    deadline = time.monotonic() + PATIENCE
    while gateway.status().raw["foxglove"]["left_out"] == 0:
        assert time.monotonic() < deadline
        begin = time.monotonic()
        good.await_("/tf")
        assert time.monotonic() - begin < 20
    after = gateway.status().raw["window"]
    assert after["number"] > before["number"]
    assert gateway.status().raw["foxglove"]["clients"] >= 2
    assert gateway.log().count("takes messages too slowly") == 1
    heard = ""
    while "were left out so far" not in heard:
        topic, message, _ = slow.hear()
        heard = message.get("message", "") if not topic else ""
    assert re.match(r"[1-9]\d* messages were left out", heard)


def test_seats_are_limited(served):
    with contextlib.ExitStack() as clients:
        with pytest.raises((websocket.WebSocketBadStatusException, ConnectionError)):
            for _ in range(20):
                clients.callback(Client(served[1]).socket.close)
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            Client(served[1]).socket.close()
            return
        except websocket.WebSocketBadStatusException as full:
            assert full.status_code == 503 and time.monotonic() < deadline
            time.sleep(0.2)


# What panels of the layout may have, as Foxglove's SDK writes them (foxglove.layouts.panels) and its app exports them.
PANELS = {
    "3D": {"followTf", "followMode", "scene", "cameraState", "transforms", "topics", "layers", "publish", "imageMode"},
    "RosOut": {"searchTerms", "minLogLevel", "topicToRender", "nameFilter", "fontSize"},
    "Plot": {"foxglovePanelTitle", "paths", "showXAxisLabels", "showYAxisLabels", "showLegend", "legendDisplay",
             "isSynced", "xAxisVal", "followingViewWidth", "minYValue", "maxYValue"},
    "Table": {"topicPath"},
}


def panels_of(layout):
    """Ids of the panels in a tree of splits."""
    if isinstance(layout, str):
        return [layout]
    assert set(layout) == {"direction", "first", "second", "splitPercentage"}
    assert layout["direction"] in ("row", "column") and 0 < layout["splitPercentage"] < 100
    return panels_of(layout["first"]) + panels_of(layout["second"])


def test_the_layout_is_one_that_foxglove_reads():
    layout = json.loads((ROOT / "examples/monitoring/foxglove-layout.json").read_text())
    assert set(layout) == {"configById", "globalVariables", "userNodes", "playbackConfig", "layout"}
    assert sorted(panels_of(layout["layout"])) == sorted(layout["configById"])  # each once
    for name, config in layout["configById"].items():
        assert set(config) <= PANELS[name.split("!")[0]], name
        for path in config.get("paths", []):
            assert set(path) == {"timestampMethod", "value", "enabled", "label"}


def test_the_layout_names_channels_that_exist():
    layout = (ROOT / "examples/monitoring/foxglove-layout.json").read_text()
    json.loads(layout)
    used = set(re.findall(r'"(/[a-z/]+)', layout))
    assert used and used <= TOPICS
