// The drawing of the graph: a few plotly traces, one for each look of a line, one for the nodes.

const positions = nodes.map((node) => [node.x, node.y]);
const view = { x: null, y: null, printing: false };
let labelCache = null; // placed anew when nodes, view or choice change, not while the slider moves

const graphPlot = byId('graph-plot');

let sizeCache = null;
let wholeCache = null;
function graphSize() {
  if (view.printing) return [680, 520];
  if (sizeCache === null) {
    const { clientWidth, clientHeight } = byId('graph-frame');
    sizeCache = [clientWidth, clientHeight];
  }
  return sizeCache;
}

function sizeChanged() {
  sizeCache = null;
  wholeCache = null;
  labelCache = null;
  drawnCache = null;
}

// All nodes, and room for their names beside them. A frame is seldom as wide and high as the
// graph: it may be stretched to fill it, but not so far that the eye is misled about distances.
const MOST_STRETCH = 1.8;
function wholeView() {
  wholeCache ??= findWholeView(...graphSize());
  return wholeCache;
}

function findWholeView(width, height) {
  const room = [Math.min(0.16 * width, nodes.length <= ALL_LABELS ? 70 : 44), 34];
  const ends = [0, 1].map((k) => {
    const all = nodes.map((node) => [node.x, node.y][k]);
    return [Math.min(...all), Math.max(...all)];
  });
  const spans = ends.map(([low, high]) => (Math.max(0, high - low)));
  const free = [width - 2 * room[0], height - 2 * room[1]];
  const scales = spans.map((span, k) => (span > 0 ? free[k] / span : Infinity));
  const least = Math.min(...scales, 1e6);
  return Object.fromEntries(['x', 'y'].map((key, k) => {
    const scale = Math.min(scales[k], MOST_STRETCH * least);
    const middle = nodes.length ? (ends[k][0] + ends[k][1]) / 2 : 0.5;
    const half = [width, height][k] / scale / 2;
    return [key, [middle - half, middle + half]];
  }));
}

const currentView = () => (view.x ? view : wholeView());

function inView([x, y]) {
  const now = currentView();
  return x >= now.x[0] && x <= now.x[1] && y >= now.y[0] && y <= now.y[1];
}

function toPixels([x, y]) {
  const [width, height] = graphSize();
  const now = currentView();
  return [
    ((x - now.x[0]) / (now.x[1] - now.x[0])) * width,
    (1 - (y - now.y[0]) / (now.y[1] - now.y[0])) * height,
  ];
}

function fromPixels([left, top]) {
  const [width, height] = graphSize();
  const now = currentView();
  return [
    now.x[0] + (left / width) * (now.x[1] - now.x[0]),
    now.y[0] + (1 - top / height) * (now.y[1] - now.y[0]),
  ];
}

// How far the view is zoomed in: nodes and lines grow a little with it.
const zoomFactor = () => {
  if (!view.x) return 1;
  const whole = wholeView();
  const most = isLarge ? 3.6 : 2.2;
  return Math.max(1, Math.min(most, Math.sqrt((whole.x[1] - whole.x[0]) / (view.x[1] - view.x[0]))));
};

// Of thousands of nodes not all can be drawn as such: of those in view the best connected are, and
// whatever is chosen. The others are specks until the view is nearer.
const MOST_NODES = 400;
const MOST_DASHED = 600; // more dashes are not told apart, and take long to draw
const isLarge = nodes.length > 700;
const byDegree = nodes.map((_, k) => k).sort((a, b) => nodes[b].degree - nodes[a].degree || a - b);
let drawnCache = null;
function drawnNodes(focused) {
  if (!isLarge) return nodes.map((_, k) => k);
  if (drawnCache === null) {
    drawnCache = byDegree.filter((k) => inView(positions[k])).slice(0, MOST_NODES);
  }
  const all = new Set(drawnCache);
  [...focused?.nodes ?? []].slice(0, MOST_NODES).forEach((k) => all.add(k));
  return [...all];
}

// The lines that pass through the view, or may.
function linesInView() {
  if (!isLarge || !view.x) return shownPairs();
  const beside = (k, a, b) => Math.max(a, b) < view[k][0] || Math.min(a, b) > view[k][1];
  return shownPairs().filter(({ i, j }) => {
    const [from, to] = [positions[i], positions[j]];
    return !beside('x', from[0], to[0]) && !beside('y', from[1], to[1]);
  });
}

// Plotly makes an element of every line of a trace, but one of a shape, however many lines it has.
const place = (k) => `${positions[k][0].toFixed(6)},${positions[k][1].toFixed(6)}`;
const shape = (path, line, opacity) => ({ type: 'path', xref: 'x', yref: 'y', layer: 'below', path, line, opacity });

// A speck is a line hardly longer than it is wide.
function specks(some) {
  const drawn = new Set(some);
  const now = currentView();
  const half = (0.8 * (now.x[1] - now.x[0])) / graphSize()[0];
  const path = (joined) => positions.map((at, k) => (
    drawn.has(k) || !inView(at) || nodes[k].degree > 0 !== joined ? ''
      : `M${(at[0] - half).toFixed(6)},${at[1].toFixed(6)}L${(at[0] + half).toFixed(6)},${at[1].toFixed(6)}`)).join('');
  return [[false, 'control'], [true, 'node']]
    .map(([joined, name]) => shape(path(joined), { color: colour(name), width: 1.6 }, 0.8))
    .filter((made) => made.path);
}

function nodeRadius(index) {
  const base = nodes.length <= 14 ? 8 : nodes.length <= ALL_LABELS ? 6.5 : nodes.length <= 120 ? 4.5
    : isLarge ? 1.7 : 3.4;
  const narrow = nodes.length > ALL_LABELS && graphSize()[0] < 500 ? 0.72 : 1; // a phone
  return narrow * base * (0.82 + 0.18 * Math.sqrt(Math.min(16, nodes[index].degree))) * zoomFactor();
}

function lineTrace(some, look) {
  const x = [];
  const y = [];
  some.forEach(([a, b]) => {
    x.push(positions[a][0], positions[b][0], null);
    y.push(positions[a][1], positions[b][1], null);
  });
  return { type: 'scatter', mode: 'lines', x, y, hoverinfo: 'skip', line: look.line, opacity: look.opacity ?? 1 };
}

const DASHES = { [-1]: nodes.length > 60 ? '4px,2.5px' : '7px,4px' };
const ends = (pair) => [pair.i, pair.j];

function edgeLooks(focused) {
  const looks = new Map();
  const some = linesInView();
  const dashed = !isLarge || some.length <= MOST_DASHED;
  some.forEach((pair) => {
    const dim = focused && !focused.has(pair);
    const name = dim ? 'dim' : pairColour(pair);
    const ink = isLarge ? 1 + 2 * (sureness(pair) > 1) : sureness(pair); // in few elements
    const [sure, strong] = dim ? [0, 0] : [ink, strongness(pair)];
    const dash = (dashed && DASHES[pair.sign]) || 'solid';
    const key = `${name} ${sure} ${strong} ${dash}`;
    if (!looks.has(key)) looks.set(key, { name, sure, strong, dash, some: [] });
    looks.get(key).some.push(ends(pair));
  });
  const all = [...looks.values()].sort((a, b) => (b.name === 'dim') - (a.name === 'dim') || a.sure - b.sure);
  return all.map(({ name, sure, strong, dash, some: own }) => ({
    some: own,
    line: { color: colour(name), width: WIDTHS[strong] * Math.sqrt(zoomFactor()), dash },
    opacity: name === 'dim' ? 0.8 : INKS[sure] * (isLarge ? 0.75 : 1),
  }));
}

const edgeTraces = (focused) => (isLarge ? [] : edgeLooks(focused).map((look) => lineTrace(look.some, look)));

function shapes(focused) {
  if (!isLarge) return [];
  const lines = edgeLooks(focused).map(({ some, line, opacity }) => shape(
    some.map(([a, b]) => `M${place(a)}L${place(b)}`).join(''), line, opacity,
  ));
  return [...lines, ...specks(drawnNodes(focused))];
}

// The chosen pair and the way around it lie under the lines as broad bands.
function bandTraces(focused) {
  if (!focused) return [];
  const bands = [];
  if (focused.path.length > 1) {
    const steps = focused.path.slice(1).map((node, k) => [focused.path[k], node]);
    bands.push(lineTrace(steps, { line: { color: withAlpha('mark', 0.35), width: 9 } }));
  }
  if (state.chosen.pair) {
    bands.push(lineTrace([ends(state.chosen.pair)], { line: { color: withAlpha('accent', 0.35), width: 13 } }));
    if (!shownPairs().includes(state.chosen.pair)) {
      bands.push(lineTrace([ends(state.chosen.pair)], { line: { color: colour('muted'), width: 1.2, dash: 'dot' } }));
    }
  }
  return bands;
}

// Lines are hovered and clicked by points along them, on one line through all that nobody sees.
function hitTrace() {
  const trace = { type: 'scatter', mode: 'lines', x: [], y: [], customdata: [], hovertext: [], meta: 'pairs', hoverinfo: 'text',
    line: { color: 'rgba(0,0,0,0)', width: 1 } };
  const near = isLarge ? new Set(drawnCache) : null; // of a large graph only what is drawn in full
  shownPairs().forEach((pair) => {
    if (near && !(near.has(pair.i) && near.has(pair.j))) return;
    const [from, to] = [positions[pair.i], positions[pair.j]];
    const [a, b] = [toPixels(from), toPixels(to)];
    const words = pairWords(pair);
    const points = Math.max(3, Math.min(40, Math.round(Math.hypot(a[0] - b[0], a[1] - b[1]) / 16)));
    for (let k = 1; k <= points; k += 1) {
      const share = k / (points + 1);
      trace.x.push(from[0] + share * (to[0] - from[0]));
      trace.y.push(from[1] + share * (to[1] - from[1]));
      trace.customdata.push(pair.place);
      trace.hovertext.push(words);
    }
  });
  return trace;
}

// Nodes with a name beside them and nodes without: empty names would cost as much as full ones.
function nodeTraces(focused) {
  const joined = new Set(shownPairs().flatMap(ends));
  const aside = (k) => focused && !focused.nodes.has(k);
  const fill = (k) => {
    if (aside(k)) return colour('dim');
    if (focused?.ends.has(k)) return colour('accent');
    if (state.colour === 'component' && nodes[k].degree > 0) return colour(partColour(nodes[k].component));
    if (nodes[k].group) return colour(partColour(columnGroups.indexOf(nodes[k].group)));
    return joined.has(k) ? colour('node') : colour('surface');
  };
  const rim = (k) => {
    if (aside(k)) return colour('surface');
    return joined.has(k) || focused?.ends.has(k) ? colour('node-edge') : colour('control');
  };
  const radii = nodes.map((_, k) => nodeRadius(k));
  const drawn = drawnNodes(focused);
  labelCache ??= placeLabels(positions.map(toPixels), radii, ...graphSize(), focused?.nodes ?? new Set(), drawn);
  const trace = (some, extra) => ({
    type: 'scatter', mode: 'markers', meta: 'nodes', hoverinfo: 'text', hovertext: some.map(nodeWords), customdata: some,
    x: some.map((k) => positions[k][0]), y: some.map((k) => positions[k][1]),
    marker: {
      size: some.map((k) => 2 * radii[k]), color: some.map(fill), opacity: 1,
      symbol: some.map((k) => (nodes[k].kind === 'continuous' ? 'circle' : 'square')),
      line: { color: some.map(rim), width: nodes.length > 60 ? 1 : 1.6 },
    },
    ...extra,
  });
  const named = [...labelCache.keys()];
  return [
    trace(drawn.filter((k) => !labelCache.has(k)), {}),
    trace(named, {
      mode: 'markers+text',
      text: named.map((k) => forPlotly(labelTexts[k], 40)),
      textposition: named.map((k) => labelCache.get(k)),
      textfont: {
        family: fontFamily, size: labelSize, weight: 500,
        color: named.map((k) => (aside(k) ? withAlpha('muted', 0.55) : colour('ink'))),
      },
    }),
  ];
}

function graphLayout(focused) {
  const [width, height] = graphSize();
  const now = currentView();
  const axis = (range) => ({ range: [...range], visible: false, fixedrange: false, autorange: false });
  return plainLayout({
    width, height, margin: { l: 0, r: 0, t: 0, b: 0 }, dragmode: 'pan', hoverdistance: 14,
    xaxis: axis(now.x), yaxis: axis(now.y), shapes: shapes(focused),
  });
}

function drawGraph() {
  if (!window.Plotly) return undefined;
  const focused = focus();
  drawnNodes(focused);
  const traces = [...bandTraces(focused), ...edgeTraces(focused), hitTrace(), ...nodeTraces(focused)];
  drawLegend();
  return window.Plotly.react(graphPlot, traces, graphLayout(focused), { ...plainConfig, scrollZoom: true });
}

let drawPending = false;
function drawSoon() {
  if (drawPending) return;
  drawPending = true;
  requestAnimationFrame(() => { drawPending = false; drawGraph(); });
}

function replaceLabels() {
  labelCache = null;
  drawnCache = null;
}

function drawLegend() {
  const items = [];
  const key = (look, words, style) => items.push(element('span', { class: 'key' }, look && element('span', { class: look, style }), words));
  const line = (name, words, dash = '') => key(`stroke${dash}`, words, `--stroke:var(--${name})`);
  const dot = (name, words) => key('dot', words, `--dot:var(--${name})`);
  const some = shownPairs();
  const has = (sign) => some.some((pair) => (pair.sign ?? 0) === sign);
  if (state.colour === 'sign') {
    if (has(1)) line('positive', 'rise together');
    if (has(-1)) line('negative', 'one falls as the other rises', ' dashed');
    if (has(0)) line('unsigned', 'sign open');
  } else if (state.colour === 'family') {
    families.filter((family) => some.some((pair) => pair.family === family)).slice(0, 9)
      .forEach((family) => line(partColour(families.indexOf(family)), sentenceCase(family)));
    if (some.some((pair) => !pair.family)) line('unsigned', 'no copula');
  } else {
    const joined = payload.components.filter((part) => part.n_edges > 0);
    joined.slice(0, 8).forEach((part, k) => dot(partColour(k), `component ${k + 1}`));
    if (joined.length > 8) dot('part-other', 'smaller ones');
  }
  if (state.colour !== 'sign' && has(-1)) line('ink', 'negative', ' dashed');
  if (some.length && hasStrengths) key('wedge', 'wider: stronger');
  if (some.length) key(hasStrengths ? 'fading' : 'wedge', hasStrengths ? 'paler: less probable' : 'wider: surer');
  if (state.colour !== 'component') columnGroups.slice(0, 9).forEach((group, k) => dot(partColour(k), shorten(group, 30)));
  if (state.chosen?.pair) key('band', 'chosen pair', '--stroke:var(--accent)');
  if (focus()?.path.length > 1) key('band', 'strongest path around it', '--stroke:var(--mark)');
  const kinds = new Set(nodes.map(({ kind }) => kind === 'continuous'));
  if (kinds.size > 1) key('square', 'columns with levels');
  if (nodes.some(({ up }) => up)) key(null, 'after a colon: the value that counts as high');
  const box = byId('legend');
  const words = items.map((item) => item.textContent).join() + state.colour;
  if (box.dataset.words !== words) {
    box.dataset.words = words;
    box.replaceChildren(...items);
  }
}
