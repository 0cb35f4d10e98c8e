// SPDX-License-Identifier: Apache-2.0
// Conditions that somebody at this browser has seen and put aside. One that is over and begins again is new.

const keyOf = (run) => `hilgate.acknowledged.${run}`;
export const conditionKey = (condition) => `${condition.name} ${condition.about}`;

function stored(run) {
  try {
    return new Set(JSON.parse(localStorage.getItem(keyOf(run)) ?? "[]"));
  } catch {
    return new Set();
  }
}

function store(run, keys) {
  try {
    localStorage.setItem(keyOf(run), JSON.stringify([...keys]));
  } catch {
    // a browser that keeps nothing shows it again
  }
}

export function acknowledge(run, condition, isSeen) {
  const keys = stored(run);
  isSeen ? keys.add(conditionKey(condition)) : keys.delete(conditionKey(condition));
  store(run, keys);
}

/** The conditions of a run, [condition, whether it has been put aside]; `isLive`: those that are over are forgotten. */
export function withAcknowledged(run, conditions, isLive) {
  const keys = stored(run);
  if (isLive) {
    const standing = new Set(conditions.map(conditionKey));
    const kept = [...keys].filter((key) => standing.has(key));
    if (kept.length < keys.size) {
      store(run, kept);
    }
  }
  return conditions.map((each) => [each, keys.has(conditionKey(each))]);
}
