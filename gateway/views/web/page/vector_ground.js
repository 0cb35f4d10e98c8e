// SPDX-License-Identifier: Apache-2.0
// An archive of vector tiles as pictures, also at larger scales than it has tiles for.

import { html } from "/dom.js";
import { drawTile, kDrawnLayers } from "/tile_style.js";
import { readVectorTile } from "/vector_tile.js";

export const kVectorType = "application/vnd.mapbox-vector-tile";

const kSide = 512; // px of a picture
const kFurther = 8; // zooms beyond the archive's
const kMostZoom = 26;
const kKept = 24; // tiles as read
const kEquator = 2 * Math.PI * 6378137; // m

/**
 * As the ground of MapTiles. `archive` is {least_zoom, most_zoom, attribution} of gateway_api.js, `bytesOf(zoom, x, y)`
 * its tileBytes.
 */
export class VectorGround {
  isDrawn = true;
  #archive;
  #bytesOf;
  #tiles = new Map(); // "zoom/x/y": a promise of layers, or of null where there is no tile

  constructor(archive, bytesOf) {
    this.#archive = archive;
    this.#bytesOf = bytesOf;
  }

  get least_zoom() {
    return this.#archive.least_zoom;
  }

  get most_zoom() {
    return Math.min(kMostZoom, this.#archive.most_zoom + kFurther);
  }

  get attribution() {
    return this.#archive.attribution;
  }

  /** A picture as an address for an image; null where there is no tile. Rejects with what is wrong with one. */
  async tile(zoom, x, y) {
    const up = Math.max(0, zoom - this.#archive.most_zoom);
    const layers = await this.#layers(zoom - up, x >> up, y >> up);
    if (!layers) {
      return null;
    }
    const canvas = html("canvas", { width: kSide, height: kSide });
    // Web Mercator is as much larger than the ground as a parallel is shorter than the equator.
    const ground = kEquator / 2 ** zoom / Math.cosh(Math.PI * (1 - (2 * (y + 0.5)) / 2 ** zoom));
    drawTile(canvas.getContext("2d"), layers, {
      side: kSide,
      part: { zoom: up, x: x - (x >> up) * 2 ** up, y: y - (y >> up) * 2 ** up },
      scale: kSide / ground,
    });
    return canvas.toDataURL();
  }

  #layers(zoom, x, y) {
    const key = `${zoom}/${x}/${y}`;
    if (!this.#tiles.has(key)) {
      if (this.#tiles.size >= kKept) {
        this.#tiles.delete(this.#tiles.keys().next().value);
      }
      this.#tiles.set(key, this.#read(key, zoom, x, y));
    }
    return this.#tiles.get(key);
  }

  async #read(key, zoom, x, y) {
    const bytes = await this.#bytesOf(zoom, x, y);
    if (!bytes) {
      return null;
    }
    const { layers, fault } = readVectorTile(bytes, kDrawnLayers);
    if (fault) {
      throw new Error(`tile ${key}: ${fault}`);
    }
    return layers;
  }
}
