// SPDX-License-Identifier: Apache-2.0
// What can be done with the chosen link.

import { html, say } from "/dom.js";
import { captureLink } from "/gateway_api.js";

const kCapture = 10; // s

const button = (attributes, text, onclick) => html("button", { type: "button", ...attributes, onclick }, text);

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  html("a", { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

/** `ends()` are the names of the link's robots; `choose` and `change` are of main.js. */
export function linkActions({ ends, choose, change }) {
  const answer = html("p", { class: "answer bad", role: "status" });
  const capture = button(
    { class: "change", "data-do": "capture", title: "Every frame of the link with what became of it, for Wireshark" },
    `Capture ${kCapture} s`,
    async () => {
      const [from, to] = ends();
      capture.disabled = true;
      say(answer, "");
      try {
        save(await captureLink(from, to, kCapture), `${from}-${to}.pcapng`);
      } catch (error) {
        say(answer, error.message);
      } finally {
        capture.disabled = false;
      }
    },
  );
  const setter = (text, value) =>
    button({ class: "change" }, text, () => change([`links.${ends().join(".")}.${value}`]));
  return [
    html(
      "p",
      { class: "choices" },
      button({ title: "The other direction (x)" }, "⇄ other direction", () => choose(ends().toReversed())),
      setter("Cut it", "loss=100 %"),
      setter("Delay by 50 ms", "delay=50ms"),
      capture,
    ),
    answer,
  ];
}
