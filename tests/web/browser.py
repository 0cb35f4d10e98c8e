# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium, driven over its DevTools protocol."""
import base64
import json
import pathlib
import subprocess
import tempfile
import time
import urllib.request

import websocket  # Debian's python3-websocket

PATIENCE = 60.0  # s; a sanitized gateway on a busy machine may be slow


class Browser:
    """One page. Everything that it logs as an error is kept."""

    def __init__(self):
        self.errors = []
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # some of its processes end late
        self._process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
             "--remote-debugging-port=0", "--remote-allow-origins=*", f"--user-data-dir={self._folder.name}",
             "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = self._port()
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
        target = next(page for page in pages if page["type"] == "page")
        self._socket = websocket.create_connection(target["webSocketDebuggerUrl"], timeout=PATIENCE)
        self._number = 0
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def _port(self):
        file = pathlib.Path(self._folder.name, "DevToolsActivePort")
        deadline = time.monotonic() + PATIENCE
        while not (file.exists() and file.read_text().strip()):
            assert self._process.poll() is None and time.monotonic() < deadline, "chromium does not start"
            time.sleep(0.05)
        return int(file.read_text().split()[0])

    def close(self):
        self.call("Browser.close")
        self._socket.close()
        self._process.wait(PATIENCE)
        self._folder.cleanup()

    def call(self, method, **parameters):
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == self._number:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]
            self._note(message)

    def _note(self, message):
        parameters = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        if message.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.errors.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}")

    def open(self, address):
        self.call("Page.navigate", url=address)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, f"{expression}: {result['exceptionDetails']}"
        return result["result"].get("value")

    def wait(self, expression):
        """Until `expression` is true in the page; returns how long that took."""
        begin = time.monotonic()
        while not self.evaluate(f"Boolean({expression})"):
            assert time.monotonic() < begin + PATIENCE, f"never true: {expression}\n{self.text('body')[:3000]}"
            time.sleep(0.02)
        return time.monotonic() - begin

    def press_until(self, key, expression, times=10):
        """Presses `key` until `expression` is true in the page. Seconds of a run come late on a busy machine, so how
        often that is needs not be known."""
        for _ in range(times):
            self.press(key)
            self.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
            if self.evaluate(f"Boolean({expression})"):
                return
        raise AssertionError(f"not true after {times} times {key}: {expression}\n{self.text('body')[:3000]}")

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def classes(self, selector):
        """Also of SVG."""
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.getAttribute('class') ?? ''").split()

    def click(self, selector):
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def grip(self, selector):
        """Where the pointer can take an element, px in the window: a point of it that nothing covers, its middle first,
        once it has been there for two frames."""
        element = f"document.querySelector({json.dumps(selector)})"
        look = f"""(async () => {{
            const points = () => {{
                const box = {element}.getBoundingClientRect();
                const shares = [0.5, 0.2, 0.8, 0.35, 0.65];
                return shares.flatMap((x) => shares.map((y) => [box.x + x * box.width, box.y + y * box.height]));
            }};
            {element}.scrollIntoView({{block: "nearest"}});
            const before = points();
            await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
            const free = points().find((point) => document.elementFromPoint(...point) === {element});
            return String(before) === String(points()) ? free : undefined;
        }})()"""
        deadline = time.monotonic() + PATIENCE
        while (at := self.evaluate(look)) is None:
            assert time.monotonic() < deadline, f"never free: {selector}"
        return at

    def mouse(self, kind, at, buttons=1):
        self.call("Input.dispatchMouseEvent", type=f"mouse{kind}", x=at[0], y=at[1], button="left", buttons=buttons,
                  clickCount=1)

    def carry(self, selector, by, steps=5):
        """Moves an element with the pointer by so many px, to the right and down; returns where the pointer is."""
        begin = self.grip(selector)
        self.mouse("Moved", begin, buttons=0)
        self.mouse("Pressed", begin)
        for step in range(1, steps + 1):
            at = [start + way * step / steps for start, way in zip(begin, by)]
            self.mouse("Moved", at)
        return at

    def drag(self, selector, by):
        self.mouse("Released", self.carry(selector, by), buttons=0)

    def press(self, key, shift=False):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 if shift else 0)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def resize(self, width, height, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, file):
        pathlib.Path(file).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
