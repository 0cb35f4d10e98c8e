// SPDX-License-Identifier: Apache-2.0
// Places for texts of the map, so that none lies on another or on a robot.

const kGlyph = 7; // px, about; a text is not measured, because it is not in the document yet
const kLine = 14;
const kBelow = 4; // of a line, below the line on which its letters stand

const overlap = (one, other) =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

export class Labels {
  #taken = [];
  #area;

  constructor(width, height) {
    this.#area = { width, height };
  }

  /** Nothing is written on this circle. */
  block([x, y], radius) {
    this.#taken.push({ x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius });
  }

  /**
   * Where the middle of a text stands that belongs to [x, y], `gap` pixels from it or, without `gap`, on it; null where
   * all places are taken. `must`: then it is above, whatever is there.
   */
  place(text, [x, y], gap, must = false) {
    const width = kGlyph * text.length;
    const around = (away) => {
      const aside = away + width / 2;
      return [
        [x, y - away - kBelow],
        [x, y + away + kLine - kBelow],
        [x + aside, y + kBelow],
        [x - aside, y + kBelow],
        [x + aside, y - away],
        [x - aside, y - away],
        [x + aside, y + away + kBelow],
        [x - aside, y + away + kBelow],
      ];
    };
    // Farther away where robots stand close together, so that each still has its name.
    const places = gap ? [gap, gap + kLine, gap + 2 * kLine].flatMap(around) : [[x, y + kBelow]];
    const boxes = places.map((at) => ({ at, x: at[0] - width / 2, y: at[1] - kLine + kBelow, width, height: kLine }));
    const box = boxes.find((each) => this.#isFree(each)) ?? (must ? boxes[0] : undefined);
    if (!box) {
      return null;
    }
    this.#taken.push(box);
    return { x: box.at[0], y: box.at[1] };
  }

  #isFree(box) {
    const { width, height } = this.#area;
    return (
      box.x >= 0 &&
      box.y >= 0 &&
      box.x + box.width <= width &&
      box.y + box.height <= height &&
      this.#taken.every((each) => !overlap(box, each))
    );
  }
}
