// SPDX-License-Identifier: Apache-2.0
// How vector tiles look: the layers of two schemas, Protomaps' basemap (versions 3 and 4) and OpenMapTiles, plainly and
// without names. What kind a feature is, is in `kind` (Protomaps 4), `pmap:kind` (3) or `class` (OpenMapTiles).

const kLand = "#f2efe6";
const kEdge = "#b3aca0"; // of roads and buildings
const words = (text) => new Set(text.split(" "));

const kWoods = words("forest wood scrub orchard vineyard nature_reserve protected_area national_park wetland");
const kGreens = words(
  "park grass grassland garden meadow farmland farmyard cemetery golf_course pitch playground recreation_ground " +
    "village_green allotments dog_park zoo stadium track",
);
const kBuilt = words(
  "residential suburb quarter neighbourhood commercial industrial retail urban_area school university college " +
    "kindergarten hospital railway military aerodrome airfield naval_base pedestrian pier platform garages",
);
const kBare = words("sand beach barren rock bare_rock glacier ice quarry");
const kPaved = words("runway taxiway apron helipad");

// In the order in which they are drawn; without `kinds` all features of the layers.
const kAreas = [
  { layers: words("earth"), colour: kLand },
  { layers: words("landcover landuse"), kinds: kBuilt, colour: "#e6e2dc" },
  { layers: words("landcover landuse"), kinds: kBare, colour: "#ece4c8" },
  { layers: words("landcover landuse"), kinds: kGreens, colour: "#d6e8c3" },
  { layers: words("landcover landuse park"), kinds: kWoods, colour: "#c2dcb0" },
  { layers: words("water"), colour: "#a9cfe6" },
  { layers: words("landuse aeroway"), kinds: kPaved, colour: "#cfccd2" },
  { layers: words("building buildings"), colour: "#d8cfc4", edge: kEdge },
];

// `width` in metres, at least `least` px.
const kWays = [
  { layers: words("water waterway"), colour: "#a9cfe6", width: 4, least: 1 },
  { layers: words("roads aeroway"), kinds: words("runway taxiway aeroway"), colour: "#cfccd2", width: 20, least: 1.5 },
  { layers: words("roads transportation"), kinds: words("path track pier"), colour: "#c4a98a", width: 1.5, least: 1 },
  { layers: words("roads transportation transit"), kinds: words("rail transit"), colour: "#8f8a94", width: 1.5, least: 1 },
  {
    layers: words("roads transportation"),
    kinds: words("minor_road minor service busway bus_guideway raceway"),
    colour: "#ffffff",
    edge: kEdge,
    width: 6,
    least: 1.5,
  },
  {
    layers: words("roads transportation"),
    kinds: words("major_road medium_road primary secondary tertiary"),
    colour: "#fbe7a1",
    edge: kEdge,
    width: 9,
    least: 2.5,
  },
  {
    layers: words("roads transportation"),
    kinds: words("highway motorway trunk"),
    colour: "#f5b971",
    edge: kEdge,
    width: 13,
    least: 3.5,
  },
  { layers: words("boundaries boundary"), colour: "#9a7fb0", width: 0, least: 1.5, dashes: [6, 4] },
];

const kWidest = Math.max(...kWays.map((rule) => rule.width));

/** Names of the layers that are drawn. */
export const kDrawnLayers = new Set([...kAreas, ...kWays].flatMap((each) => [...each.layers]));

const kindOf = ({ properties }) => properties.get("kind") ?? properties.get("pmap:kind") ?? properties.get("class");

// [west, north, east, south] in units of the tile; found once.
function boundsOf(feature) {
  if (!feature.bounds) {
    const bounds = [Infinity, Infinity, -Infinity, -Infinity];
    for (const line of feature.lines) {
      for (let index = 0; index < line.length; index += 1) {
        const axis = index % 2;
        bounds[axis] = Math.min(bounds[axis], line[index]);
        bounds[axis + 2] = Math.max(bounds[axis + 2], line[index]);
      }
    }
    feature.bounds = bounds;
  }
  return feature.bounds;
}

function trace(context, { shape, lines }, at) {
  context.beginPath();
  for (const line of lines) {
    context.moveTo(...at(line[0], line[1]));
    for (let index = 2; index < line.length; index += 2) {
      context.lineTo(...at(line[index], line[index + 1]));
    }
    if (shape === "polygon") {
      context.closePath();
    }
  }
}

/**
 * Draws a part of a tile on a canvas of `side` x `side` px: `part` is {zoom, x, y} as a tile's address within this one,
 * {zoom: 0, x: 0, y: 0} for all of it; `scale` in px a metre. `layers` are of readVectorTile().
 */
export function drawTile(context, layers, { side, part, scale }) {
  const margin = 4 + kWidest * scale; // px, half of which a line may reach into the picture from next to it
  const placed = (extent) => {
    const unit = (side * 2 ** part.zoom) / extent; // px
    return (x, y) => [x * unit - part.x * side, y * unit - part.y * side];
  };
  // A large scale shows few of a tile's features.
  const isSeen = (feature, at) => {
    const [west, north, east, south] = boundsOf(feature);
    const [begin, end] = [at(west, north), at(east, south)];
    return Math.min(end[0], end[1]) >= -margin && Math.max(begin[0], begin[1]) <= side + margin;
  };
  const each = (rule, shape, draw) => {
    for (const { extent, features } of layers.filter((layer) => rule.layers.has(layer.name))) {
      const at = placed(extent);
      for (const feature of features) {
        if (feature.shape === shape && (!rule.kinds || rule.kinds.has(kindOf(feature))) && isSeen(feature, at)) {
          trace(context, feature, at);
          draw();
        }
      }
    }
  };
  context.fillStyle = kLand;
  context.fillRect(0, 0, side, side);
  context.lineJoin = "round";
  context.lineCap = "round";
  const fill = (rule) => {
    context.fillStyle = rule.colour;
    context.strokeStyle = rule.edge ?? rule.colour;
    context.lineWidth = 1;
    each(rule, "polygon", () => {
      context.fill("evenodd");
      if (rule.edge) {
        context.stroke();
      }
    });
  };
  const stroke = (rule, colour, more) => {
    context.strokeStyle = colour;
    context.lineWidth = Math.max(rule.least, rule.width * scale) + more;
    context.setLineDash(rule.dashes ?? []);
    each(rule, "line", () => context.stroke());
    context.setLineDash([]);
  };
  const buildings = kAreas.at(-1);
  kAreas.slice(0, -1).forEach(fill);
  kWays.filter((rule) => rule.edge).forEach((rule) => stroke(rule, rule.edge, 1.5));
  kWays.forEach((rule) => stroke(rule, rule.colour, 0));
  fill(buildings);
}
