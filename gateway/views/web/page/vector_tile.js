// SPDX-License-Identifier: Apache-2.0
// A Mapbox Vector Tile, versions 1 and 2.1 (github.com/mapbox/vector-tile-spec: 2.1, vector_tile.proto and chapter 4),
// in the wire format of Protocol Buffers. Tiles are a stranger's: each length is checked before it is used.

/** What is wrong with a tile. */
class TileFault extends Error {}

const kNumber = 0; // wire types
const kBytes = 2;
const kWidths = { 1: 8, 5: 4 }; // bytes
const kDecoder = new TextDecoder();
const kShapes = ["unknown", "point", "line", "polygon"]; // GeomType
const kMoveTo = 1;
const kLineTo = 2;
const kClosePath = 7;
const kFarthest = 2 ** 40; // units of a tile; each step has 32 bits

/** Some bytes with a place in them. */
class Message {
  #bytes;
  #at;
  #end;

  constructor(bytes, begin = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = begin;
    this.#end = end;
  }

  get left() {
    return this.#end - this.#at;
  }

  /** Above 2^53 to the nearest number that there is; `negative` is then the number of 64 bits with a sign. */
  number() {
    let value = 0;
    this.negative = -1;
    for (let place = 1; place <= 128 ** 9; place *= 128) {
      if (this.#at === this.#end) {
        throw new TileFault("ends within a number");
      }
      const byte = this.#bytes[this.#at++];
      value += (byte & 127) * place;
      this.negative += ((byte & 127) - (place < 128 ** 9 ? 127 : 1)) * place; // -1 has all bits
      if (byte < 128) {
        return value;
      }
    }
    throw new TileFault("has a number of more than 64 bits");
  }

  signed() {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  part(length) {
    if (length > this.left) {
      throw new TileFault(`has a part of ${length} bytes where ${this.left} are left`);
    }
    this.#at += length;
    return new Message(this.#bytes, this.#at - length, this.#at);
  }

  text() {
    return kDecoder.decode(this.#bytes.subarray(this.#at, this.#end));
  }

  real() {
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#at, this.left);
    return this.left === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
  }

  /**
   * For each field that is in it and in `takers`, {FIELD: [wire type, take]}, calls take(value), with a number's
   * `negative` as well.
   */
  fields(takers) {
    while (this.left > 0) {
      const key = this.number();
      const [field, wire] = [Math.floor(key / 8), key % 8];
      if (wire !== kNumber && wire !== kBytes && !kWidths[wire]) {
        throw new TileFault(`has a field of wire type ${wire}`);
      }
      const value = wire === kNumber ? this.number() : this.part(kWidths[wire] ?? this.number());
      const [expected, take] = takers[field] ?? [wire, () => {}];
      if (wire !== expected) {
        throw new TileFault(`has field ${field} in wire type ${wire}, not ${expected}`);
      }
      take(value, this.negative);
    }
  }
}

function readValue(message) {
  let value = null;
  const real = (part) => (value = part.real());
  message.fields({
    1: [kBytes, (part) => (value = part.text())],
    2: [5, real],
    3: [1, real],
    4: [kNumber, (number, negative) => (value = number < 2 ** 63 ? number : negative)],
    5: [kNumber, (number) => (value = number)],
    6: [kNumber, (number) => (value = number % 2 === 0 ? number / 2 : -(number + 1) / 2)],
    7: [kNumber, (number) => (value = number !== 0)],
  });
  return value;
}

// Lines of x, y, x, y, ...; each point of a set of points is one. Rings are without their first point at the end.
function readGeometry(message, isPolygon) {
  const lines = [];
  let line = null;
  let [x, y] = [0, 0];
  while (message.left > 0) {
    const command = message.number();
    const [id, count] = [command % 8, Math.floor(command / 8)];
    if (id === kClosePath) {
      if (!isPolygon || !line || count !== 1) {
        throw new TileFault("closes a ring where there is none");
      }
      line = null;
      continue;
    }
    if ((id !== kMoveTo && id !== kLineTo) || count === 0) {
      throw new TileFault(`has a geometry with command ${id}, ${count} times`);
    }
    if (2 * count > message.left) {
      throw new TileFault(`ends within a geometry of ${count} points`);
    }
    for (let point = 0; point < count; point += 1) {
      x += message.signed();
      y += message.signed();
      if (Math.abs(x) > kFarthest || Math.abs(y) > kFarthest) {
        throw new TileFault("has coordinates that are out of range");
      }
      if (id === kMoveTo) {
        line = [x, y];
        lines.push(line);
      } else if (line) {
        line.push(x, y);
      } else {
        throw new TileFault("has a line without a beginning");
      }
    }
  }
  return lines;
}

function readFeature(message, keys, values) {
  let shape = "unknown";
  let geometry = null;
  const properties = new Map();
  message.fields({
    2: [
      kBytes,
      (tags) => {
        while (tags.left > 0) {
          const [key, value] = [tags.number(), tags.number()];
          if (key >= keys.length || value >= values.length) {
            throw new TileFault(`has a feature with tag ${key}, ${value} of ${keys.length}, ${values.length}`);
          }
          properties.set(keys[key], values[value]);
        }
      },
    ],
    3: [kNumber, (number) => (shape = kShapes[number] ?? "unknown")],
    4: [kBytes, (part) => (geometry = part)],
  });
  return { shape, properties, lines: geometry ? readGeometry(geometry, shape === "polygon") : [] };
}

// Null where it is not among `wanted`.
function readLayer(message, wanted) {
  const [keys, values, features] = [[], [], []];
  let [name, extent, version] = ["", 4096, 1];
  message.fields({
    1: [kBytes, (part) => (name = part.text())],
    2: [kBytes, (part) => features.push(part)],
    3: [kBytes, (part) => keys.push(part.text())],
    4: [kBytes, (part) => values.push(readValue(part))],
    5: [kNumber, (number) => (extent = number)],
    15: [kNumber, (number) => (version = number)],
  });
  if (!wanted.has(name)) {
    return null;
  }
  if (version !== 1 && version !== 2) {
    throw new TileFault(`has a layer of version ${version}; 1 and 2 can be read`);
  }
  if (extent === 0 || extent > kFarthest) {
    throw new TileFault(`has a layer with the extent ${extent}`);
  }
  return { name, extent, features: features.map((feature) => readFeature(feature, keys, values)) };
}

/**
 * What a tile has: {layers, fault}. Layers are those with a name in `wanted`, a Set, in the tile's order: {name, extent,
 * features}; a feature is {shape: "point", "line", "polygon" or "unknown", properties: a Map, lines}, a line x, y, x,
 * y, ... in units of which the tile has `extent` from its west and north edges to the others, and somewhat beyond.
 * `fault` is what is wrong with the bytes of a damaged tile, which then has no layers.
 */
export function readVectorTile(bytes, wanted) {
  const layers = [];
  try {
    new Message(bytes).fields({ 3: [kBytes, (part) => layers.push(readLayer(part, wanted))] });
  } catch (error) {
    if (!(error instanceof TileFault)) {
      throw error;
    }
    return { layers: [], fault: error.message };
  }
  return { layers: layers.filter(Boolean), fault: "" };
}
