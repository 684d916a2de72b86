// What the reader has chosen: how strict, which colours, which variable or pair.

const probable = payload.score.is_probability;
const keptPairs = pairs.filter((pair) => pair.kept);

// More lines than this are no picture any more.
const MOST_LINES = Math.min(1500, Math.max(60, 3 * keptPairs.length, 2 * nodes.length));
const drawable = pairs.slice(0, Math.max(MOST_LINES, keptPairs.length));

const state = {
  kind: 'score', // or 'fdr'
  value: null, // of the slider; null: the edges as they were learned
  strength: 0, // of the other slider
  colour: 'sign', // or 'component', 'family'
  chosen: null, // { node } or { pair }
};

let shownCache = null;
function shownPairs() {
  if (shownCache === null) {
    const { kind, value } = state;
    if (value === null) shownCache = keptPairs;
    else if (kind === 'fdr') shownCache = drawable.filter((pair) => pair.fdr !== null && pair.fdr <= value + 1e-9);
    else shownCache = drawable.filter((pair) => size(pair) >= value - 1e-9);
    if (state.strength > 0) shownCache = shownCache.filter((pair) => surelyAtLeast(pair, state.strength));
  }
  return shownCache;
}

// An edge whose strength is unknown stays.
function surelyAtLeast({ kept, low, high }, strength) {
  if ((low ?? null) === null) return kept;
  return Math.max(low, -high) >= strength;
}

function setThreshold(kind, value) {
  state.kind = kind;
  state.value = value;
  shownCache = null;
}

const expectedFalse = (some) => some.reduce((sum, pair) => sum + 1 - pair.score, 0);

function neighboursOf(index) {
  return shownPairs()
    .filter((pair) => pair.i === index || pair.j === index)
    .map((pair) => ({ pair, other: pair.i === index ? pair.j : pair.i }));
}

// What stands out in the drawing, and what steps back; null where nothing is chosen.
function focus() {
  if (!state.chosen) return null;
  if (state.chosen.node !== undefined) {
    const centre = state.chosen.node;
    return {
      nodes: new Set([centre, ...neighboursOf(centre).map(({ other }) => other)]),
      has: (pair) => pair.i === centre || pair.j === centre,
      path: [],
      ends: new Set([centre]),
    };
  }
  const { pair } = state.chosen;
  const path = payload.why[keyOf(pair.i, pair.j)]?.path?.nodes ?? [];
  const steps = new Set(path.slice(1).map((node, k) => keyOf(node, path[k])));
  return {
    nodes: new Set([pair.i, pair.j, ...path]),
    has: (other) => other === pair || steps.has(keyOf(other.i, other.j)),
    path,
    ends: new Set([pair.i, pair.j]),
  };
}

// Families by how many edges have them, for colours that stay the same while the slider moves.
const families = (() => {
  const counts = new Map();
  drawable.forEach(({ family, kept }) => {
    if (family) counts.set(family, (counts.get(family) ?? 0) + (kept ? 1000 : 1));
  });
  return [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a) || (a < b ? -1 : 1));
})();

const partColour = (k) => (k < 8 ? `part-${k}` : 'part-other');

function pairColour(pair) {
  if (state.colour === 'component') {
    const part = nodes[pair.i].component;
    return part === nodes[pair.j].component ? partColour(part) : 'unsigned';
  }
  if (state.colour === 'family') return pair.family ? partColour(families.indexOf(pair.family)) : 'unsigned';
  return signWord(pair.sign) ?? 'unsigned';
}

// How strong and how sure, in steps: one width and one ink each, so that few traces are enough.
// Without strengths both say how sure.
const topScore = Math.max(1e-12, ...drawable.map(size));
const SURE = probable ? [0.7, 0.9, 0.99] : [0.4, 0.6, 0.8];
const STRONG = [0.1, 0.22, 0.4];
const WIDTHS = nodes.length > 700 ? [0.35, 0.6, 0.9, 1.3] : nodes.length > 60 ? [0.8, 1.5, 2.4, 3.6] : [1.2, 2.4, 4, 6.2];
const INKS = [0.32, 0.55, 0.78, 1];
const hasStrengths = probable && keptPairs.some(({ strength }) => strength !== null);
const columnGroups = [...new Set(nodes.map(({ group }) => group).filter(Boolean))];

function sureness(pair) {
  const score = probable ? pair.score : size(pair) / topScore;
  return SURE.filter((step) => score >= step).length;
}

function strongness(pair) {
  if (!hasStrengths) return sureness(pair);
  if (pair.strength === null || pair.strength === undefined) return pair.kept ? 1 : 0;
  return STRONG.filter((step) => Math.abs(pair.strength) >= step).length;
}
