// What the page is about, as `spinney.graph.report.content` says it; unpacked where it is needed.

const payload = JSON.parse(byId('payload').textContent);
const nodes = payload.nodes;
const scoreLabel = payload.score.label;

const pairs = payload.pairs.map((row, place) => {
  const pair = { place };
  payload.pair_columns.forEach((column, k) => { pair[column] = row[k]; });
  return pair;
});
const size = (pair) => (payload.score.is_probability ? pair.score : Math.abs(pair.score));
const pairPlaces = new Map(pairs.map((pair, place) => [pair.i * nodes.length + pair.j, place]));

const keyOf = (i, j) => (i < j ? `${i}-${j}` : `${j}-${i}`);

function bytesOf(text) {
  return Uint8Array.from(atob(text), (mark) => mark.charCodeAt(0));
}

// Of a wide table the heat map holds some of the variables, in the order of the table.
const heatPlaces = new Map(payload.heat.nodes.map((node, k) => [node, k]));
let heatBytes = null;
function heatScore(i, j) {
  heatBytes ??= bytesOf(payload.heat.values);
  const [a, b] = [Math.min(i, j), Math.max(i, j)].map((k) => heatPlaces.get(k));
  if (a === undefined || b === undefined) return null;
  const byte = heatBytes[(a * (2 * heatPlaces.size - a - 1)) / 2 + (b - a - 1)];
  return byte === undefined || byte === 255 ? null : (byte / 250) * (payload.heat.scale ?? 1);
}

// Every pair can be asked for; of those that are not listed only the score is known, rounded.
function pairOf(i, j) {
  const [a, b] = i < j ? [i, j] : [j, i];
  const place = pairPlaces.get(a * nodes.length + b);
  if (place !== undefined) return pairs[place];
  return { place: null, rank: null, i: a, j: b, score: heatScore(a, b), kept: false, sign: null, family: null };
}

const dataColumns = payload.data?.columns ?? []; // a model may not keep its table
const columnCache = new Map();
function columnValues(index) {
  if (!columnCache.has(index)) {
    const column = dataColumns[index];
    const bytes = bytesOf(column.values);
    const view = new DataView(bytes.buffer);
    columnCache.set(index, Array.from({ length: bytes.length / 2 }, (_, row) => {
      const code = view.getUint16(2 * row, true);
      if (code === 65535) return null;
      return column.kind === 'continuous' ? code / 8191 - 4 : code;
    }));
  }
  return columnCache.get(index);
}

const signWord = (sign) => (sign === 1 ? 'positive' : sign === -1 ? 'negative' : null);
