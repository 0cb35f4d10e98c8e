// SPDX-License-Identifier: Apache-2.0
// Light or dark: the system's setting, until the user chooses.

const kKey = "hilgate-theme";

function isDark() {
  return (
    (document.documentElement.dataset.theme ??
      (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark"
  );
}

export function restoreTheme() {
  const chosen = localStorage.getItem(kKey);
  if (chosen) {
    document.documentElement.dataset.theme = chosen;
  }
}

export function switchTheme() {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  localStorage.setItem(kKey, theme);
}
