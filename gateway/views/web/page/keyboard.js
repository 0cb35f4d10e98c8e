// SPDX-License-Identifier: Apache-2.0

const isTyping = (target) => target.matches("input[type=text], input[type=search], textarea");

/** Calls actions[key] when a key is pressed outside of text fields. */
export function onKeys(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || (isTyping(event.target) && event.key !== "Escape")) {
      return;
    }
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      document.activeElement?.matches?.("input[type=text], input[type=search]") && document.activeElement.blur();
      action(event);
    }
  });
}
