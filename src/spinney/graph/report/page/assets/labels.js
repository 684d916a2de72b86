// Where names stand beside their nodes: away from lines, from each other and from the border.
// In a small graph all are shown; in a large one those that find room, best connected first. Zoomed
// in, there is more of it.

const ALL_LABELS = 40;
const labelSize = nodes.length <= 12 ? 13 : nodes.length <= ALL_LABELS ? 12 : 11;
const labelLimit = nodes.length <= ALL_LABELS ? 22 : 16;
// Of a column in words the value that counts as high stands beside its name.
const labelTexts = nodes.map(({ up }, k) => shortName(k, labelLimit) + (up ? `: ${shorten(up, 12)}` : ''));

const labelWidths = (() => {
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = `500 ${labelSize}px ${fontFamily}`;
  return labelTexts.map((text) => pen.measureText(text).width);
})();

const SIDES = [
  ['top center', 0, -1, 0], ['bottom center', 0, 1, 0.4], ['middle right', 1, 0, 0.6], ['middle left', -1, 0, 0.6],
  ['top right', 1, -1, 1], ['top left', -1, -1, 1], ['bottom right', 1, 1, 1.2], ['bottom left', -1, 1, 1.2],
];

// The box that plotly's text takes, by its own rule of offsets.
function labelBox(index, at, radius, [, across, down]) {
  const offset = radius / 0.8 + 1;
  const width = labelWidths[index] + 4;
  const left = at[0] + across * offset - (across === 0 ? width / 2 : across < 0 ? width : 0);
  const base = at[1] + labelSize * 0.75 + down * offset + ((down - 1) * labelSize) / 2;
  return [left, base - labelSize * 0.86, left + width, base + labelSize * 0.26];
}

function overlap(a, b) {
  const across = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const down = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  return across > 0 && down > 0 ? across * down : 0;
}

function placeLabels(places, radii, width, height, always, drawn) {
  const small = nodes.length <= (width < 500 ? 12 : ALL_LABELS); // a phone has room for fewer
  const discs = drawn.map((k) => [...places[k].map((at) => at - radii[k]), ...places[k].map((at) => at + radii[k]), k]);
  const inside = (k) => places[k][0] > 0 && places[k][0] < width && places[k][1] > 0 && places[k][1] < height;
  const order = drawn.filter((k) => labelTexts[k] && (small || inside(k)));
  order.sort((a, b) => always.has(b) - always.has(a) || nodes[b].degree - nodes[a].degree || a - b);
  const near = shownPairs().length <= 400 ? shownPairs() : [];
  const steps = Array.from({ length: 30 }, (_, k) => (k + 0.5) / 30);
  const lines = near.flatMap(({ i, j }) => steps.map((share) => [0, 1].map((c) => places[i][c] + share * (places[j][c] - places[i][c]))));
  const sides = new Map();
  const boxes = new Map();

  const cost = (k, side) => {
    const box = labelBox(k, places[k], radii[k], side);
    const outside = Math.max(0, 4 - box[0], box[2] - width + 4) * 14 + Math.max(0, 4 - box[1], box[3] - height + 4) * 14;
    let hard = 0;
    boxes.forEach((other, l) => { if (l !== k) hard += overlap(box, other); });
    discs.forEach((disc) => { if (disc[4] !== k) hard += overlap(box, disc); });
    const soft = 6 * lines.filter(([x, y]) => x > box[0] && x < box[2] && y > box[1] && y < box[3]).length;
    return { box, hard, outside, total: side[3] * 3 + outside + hard * 2 + soft };
  };
  const best = (k) => SIDES.map((side) => ({ side, ...cost(k, side) })).reduce((a, b) => (b.total < a.total ? b : a));

  for (let round = 0; round < (small ? 5 : 1); round += 1) {
    order.forEach((k) => {
      boxes.delete(k);
      const found = best(k);
      if (!small && !always.has(k) && (found.hard > 0 || found.outside > 0)) {
        sides.delete(k);
        return;
      }
      sides.set(k, found.side[0]);
      boxes.set(k, found.box);
    });
  }
  return sides;
}
