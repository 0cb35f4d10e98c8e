// SPDX-License-Identifier: Apache-2.0
// Nodes of a configuration file, as `hilgate edit` reports them (gateway/views/edit/edited_file.h), and what the schema
// reports of them.

export const isScalar = (node) => node.scalar !== undefined;

/** What is under a path of keys and numbers; undefined where nothing is. */
export function nodeAt(tree, path) {
  return path.reduce(
    (node, step) =>
      typeof step === "number" ? node?.items?.[step] : node?.keys?.find(([key]) => key === step)?.[1],
    tree,
  );
}

/** "robots.red.ip[0]", as faults name their places. */
export const pathText = (path) =>
  path.reduce((text, step) => (typeof step === "number" ? `${text}[${step}]` : text ? `${text}.${step}` : step), "");

const isPlain = (text) => text !== "" && !/[,[\]{}#:"'\n]|^[\s&*!|>%@`?-]|\s$/.test(text);
const scalarText = (text) => (isPlain(text) ? text : JSON.stringify(text));

/** A node as YAML on one line. */
export function flowText(node) {
  if (isScalar(node)) {
    return scalarText(node.scalar);
  }
  return node.items
    ? `[${node.items.map(flowText).join(", ")}]`
    : `{${node.keys.map(([key, value]) => `${scalarText(key)}: ${flowText(value)}`).join(", ")}}`;
}

const choicesOf = (schema) => (schema ? [schema, ...(schema.anyOf ?? []).flatMap(choicesOf)] : []);

/** The schema of what is under a step. */
export function schemaUnder(schema, step) {
  const found = choicesOf(schema)
    .map((each) => {
      if (typeof step === "number") {
        return each.items;
      }
      return each.properties?.[step] ?? (typeof each.additionalProperties === "object" && each.additionalProperties);
    })
    .filter(Boolean);
  return found[0];
}

/** {key: schema} of all that may be there; undefined where nothing is known. */
export function knownKeys(schema) {
  const all = choicesOf(schema).map((each) => each.properties).filter(Boolean);
  return all.length > 0 ? Object.assign({}, ...all) : undefined;
}

/** Whether it is a map whose keys are names that people choose. */
export const hasNames = (schema) => choicesOf(schema).some((each) => typeof each.additionalProperties === "object");

export const isList = (schema) => choicesOf(schema).some((each) => each.items);

/** The words that a scalar may be, where these are all. */
export function wordsOf(schema) {
  const choices = choicesOf(schema);
  if (choices.some((each) => each.type === "boolean")) {
    return ["true", "false"];
  }
  const named = choices.filter((each) => each.enum);
  return named.length > 0 && named.length === choices.filter((each) => each.type || each.enum).length
    ? named.flatMap((each) => each.enum.map(String))
    : undefined;
}

export const exampleOf = (schema) => choicesOf(schema).flatMap((each) => each.examples ?? [])[0];

/** YAML to begin with, where a key is added. */
export function firstValue(schema) {
  const example = exampleOf(schema);
  if (example !== undefined) {
    return typeof example === "string" ? scalarText(example) : JSON.stringify(example);
  }
  const words = wordsOf(schema);
  if (words) {
    return words[0];
  }
  const numeric = choicesOf(schema).find((each) => each.type === "integer" || each.type === "number");
  if (numeric) {
    return String(numeric.minimum ?? 1);
  }
  const map = choicesOf(schema).find((each) => each.properties || each.additionalProperties);
  if (map) {
    const needed = (map.required ?? []).map((key) => `${key}: ${firstValue(map.properties?.[key])}`);
    return `{${needed.join(", ")}}`;
  }
  return isList(schema) ? "[]" : '""';
}
