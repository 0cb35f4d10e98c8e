// SPDX-License-Identifier: Apache-2.0
// Pictures of the ground, or ones drawn of vector tiles, in Web Mercator (EPSG:3857), laid under a map in metres east and north of an origin.

import { svg } from "/dom.js";

const kRadius = 6378137; // m, of WGS 84 at the equator, which Web Mercator takes for a sphere
const kEccentricity2 = 0.00669437999014;
const kLargest = 384; // px of a tile on the map, unless the archive ends at its zoom
const kMost = 100; // tiles at a time
const kKept = 400;
const kOverlap = 0.5; // px, against seams

const radians = (degrees) => (degrees * Math.PI) / 180;

// Earth-centred coordinates of a place at height 0, and its radius of curvature across the meridian.
function centred(latitude, longitude) {
  const across = kRadius / Math.sqrt(1 - kEccentricity2 * Math.sin(latitude) ** 2);
  return [
    across * Math.cos(latitude) * Math.cos(longitude),
    across * Math.cos(latitude) * Math.sin(longitude),
    across * (1 - kEccentricity2) * Math.sin(latitude),
  ];
}

/** Metres east and north, in the plane that touches the earth at the origin, as the gateway has them. */
export function metresOf(place, origin) {
  const [latitude, longitude] = [radians(origin.latitude), radians(origin.longitude)];
  const from = centred(latitude, longitude);
  const [x, y, z] = centred(radians(place.latitude), radians(place.longitude)).map((each, axis) => each - from[axis]);
  const outwards = Math.cos(longitude) * x + Math.sin(longitude) * y;
  return [
    -Math.sin(longitude) * x + Math.cos(longitude) * y,
    -Math.sin(latitude) * outwards + Math.cos(latitude) * z,
  ];
}

// To a metre within some kilometres: which tiles are on the map.
function placeOf([east, north], origin) {
  const latitude = radians(origin.latitude);
  const bend = 1 - kEccentricity2 * Math.sin(latitude) ** 2;
  const along = (kRadius * (1 - kEccentricity2)) / bend ** 1.5;
  const across = (kRadius / Math.sqrt(bend)) * Math.cos(latitude);
  return {
    latitude: origin.latitude + ((north / along) * 180) / Math.PI,
    longitude: origin.longitude + ((east / across) * 180) / Math.PI,
  };
}

const columnOf = ({ longitude }, zoom) => ((longitude + 180) / 360) * 2 ** zoom;
const rowOf = ({ latitude }, zoom) => ((1 - Math.asinh(Math.tan(radians(latitude))) / Math.PI) / 2) * 2 ** zoom;
const cornerOf = (column, row, zoom) => ({
  latitude: (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / 2 ** zoom))) * 180) / Math.PI,
  longitude: (column / 2 ** zoom) * 360 - 180,
});

export class MapTiles {
  #ground;
  #redraw;
  #origin = null;
  #pictures = new Map(); // "zoom/x/y": the element; null while it is on its way, and where it is absent
  #fault = "";
  #broken = new Set(); // why tiles have no picture, which names each

  /** `ground` is {least_zoom, most_zoom, attribution, tile} of gateway_api.js, or a VectorGround. */
  constructor(redraw, ground) {
    this.#redraw = redraw;
    this.#ground = ground;
  }

  /** Where on the earth the map's 0, 0 is, {latitude, longitude}; absent: nowhere. */
  place(origin) {
    this.#origin = origin ?? null;
  }

  get isPlaced() {
    return this.#origin !== null;
  }

  /** Whose pictures these are, and why some are not there. */
  get said() {
    const count = this.#broken.size;
    const [first] = this.#broken;
    const broken = first && `${count === 1 ? "a map tile" : `${count} map tiles`} cannot be drawn; the first: ${first}`;
    const parts = this.isPlaced ? [this.#fault, broken, this.#ground.attribution] : [];
    return parts.filter(Boolean).join("; ");
  }

  #zoom(scale) {
    const world = 2 * Math.PI * kRadius * Math.cos(radians(this.#origin.latitude)) * scale; // px around the earth
    const { least_zoom: least, most_zoom: most } = this.#ground;
    return Math.max(least, Math.min(most, Math.ceil(Math.log2(world / kLargest))));
  }

  /** Elements for a map of so many pixels. */
  pictures(plan, [width, height]) {
    if (!this.isPlaced) {
      return [];
    }
    const zoom = this.#zoom(plan.scale);
    const [first, last] = [[0, 0], [width, height]].map((corner) => placeOf(plan.metres(corner), this.#origin));
    const whole = (value) => Math.max(0, Math.min(2 ** zoom - 1, Math.floor(value)));
    const [west, east] = [first, last].map((place) => whole(columnOf(place, zoom)));
    const [north, south] = [first, last].map((place) => whole(rowOf(place, zoom)));
    if ((east - west + 1) * (south - north + 1) > kMost) {
      this.#fault = "the map tiles begin at a larger scale than this map's";
      return [];
    }
    this.#fault = "";
    const found = [];
    for (let row = north; row <= south; row += 1) {
      for (let column = west; column <= east; column += 1) {
        const picture = this.#picture(zoom, column, row);
        if (picture) {
          found.push(this.#laid(picture, plan, [column, row], zoom));
        }
      }
    }
    return found;
  }

  #laid(picture, plan, [column, row], zoom) {
    const corner = (right, below) => plan.at(metresOf(cornerOf(column + right, row + below, zoom), this.#origin));
    const [x, y] = corner(0, 0);
    const [right, bottom] = corner(1, 1);
    const box = { x, y, width: right - x + kOverlap, height: bottom - y + kOverlap };
    for (const [name, value] of Object.entries(box)) {
      picture.setAttribute(name, value);
    }
    return picture;
  }

  // The element is kept: a new one would be blank until its picture is decoded.
  #picture(zoom, column, row) {
    const key = `${zoom}/${column}/${row}`;
    if (!this.#pictures.has(key)) {
      if (this.#pictures.size >= kKept) {
        this.#pictures.clear();
      }
      this.#pictures.set(key, null);
      this.#ground
        .tile(zoom, column, row)
        .then((href) => {
          if (href) {
            const kind = this.#ground.isDrawn ? "layer ground drawn" : "layer ground";
            this.#pictures.set(key, svg("image", { class: kind, href, preserveAspectRatio: "none" }));
            this.#redraw();
          }
        })
        .catch((error) => {
          if (this.#broken.size === 0) {
            console.warn(`map tiles: ${error.message}`);
          }
          this.#broken.add(error.message);
          this.#redraw();
        });
    }
    return this.#pictures.get(key);
  }
}
