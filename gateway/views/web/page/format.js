// SPDX-License-Identifier: Apache-2.0
// Numbers with units, for people. What is not known is a dash.

const known = (value) => typeof value === "number" && Number.isFinite(value);

const digits = (value) => (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);

export function number(value, unit = "") {
  if (!known(value)) {
    return "–";
  }
  const text = Number.isInteger(value) ? String(value) : value.toFixed(digits(value));
  return unit ? `${text} ${unit}` : text;
}

/** SNR; walls of metal attenuate by hundreds of dB, which cannot be measured. */
export const decibels = (value) => (value < -30 ? "< -30 dB" : number(value, "dB"));

/** Of a share from 0 to 1. */
export function percent(share) {
  if (!known(share)) {
    return "–";
  }
  const value = share * 100;
  if (value === 0 || value >= 99.95) {
    return `${Math.round(value)} %`;
  }
  return value < 0.1 ? "<0.1 %" : `${value.toFixed(value < 10 ? 1 : 0)} %`;
}

export function micros(us) {
  if (!known(us)) {
    return "–";
  }
  const size = Math.abs(us);
  if (size >= 1e6) {
    return number(us / 1e6, "s");
  }
  return size >= 1e3 ? number(us / 1e3, "ms") : number(us, "µs");
}

export const nanos = (ns) => (known(ns) && Math.abs(ns) < 1000 ? number(ns, "ns") : micros(ns / 1e3));

/** Of bits per second. */
export function bitRate(rate) {
  if (!known(rate)) {
    return "–";
  }
  for (const [unit, size] of [
    ["Gbit/s", 1e9],
    ["Mbit/s", 1e6],
    ["kbit/s", 1e3],
  ]) {
    if (rate >= size) {
      return number(rate / size, unit);
    }
  }
  return number(Math.round(rate), "bit/s");
}

export function count(value) {
  if (!known(value)) {
    return "–";
  }
  return value >= 1e7 ? `${(value / 1e6).toFixed(1)} M` : Math.round(value).toLocaleString("en");
}

/** How long what is shown took: ten seconds, most often. */
export const spanText = (seconds) => (Math.abs(seconds - 10) < 2 ? "ten seconds" : number(Math.round(seconds), "s"));

/** Seconds as 1:02:03. */
export function clockTime(seconds) {
  if (!known(seconds)) {
    return "–";
  }
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value) => String(value).padStart(2, "0");
  const minutes = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return whole >= 3600 ? `${Math.floor(whole / 3600)}:${minutes}` : minutes;
}
