// The data of one pair: points with the fitted copula's contours, strips, or a mosaic.

const QUARTILE = 0.6745; // normal score of 75 %

function brief(value) {
  const magnitude = Math.abs(value);
  const far = magnitude !== 0 && (magnitude >= 1e5 || magnitude < 1e-3);
  return (far ? value.toExponential(1) : Number(value.toPrecision(3)).toString()).replace('-', '−');
}

const axisTitle = (index) => ({ text: forPlotly(nodes[index].name, 34), font: { size: 12, color: colour('ink') }, standoff: 8 });

// Ranks are drawn, but the axis is marked in the column's own units.
function scoreAxis(index, extra = {}) {
  const { quantiles } = dataColumns[index]; // least, quartiles, largest
  let marks = { dtick: 1 };
  if (quantiles) {
    const known = columnValues(index).filter((score) => score !== null);
    const places = [Math.min(...known), -QUARTILE, 0, QUARTILE, Math.max(...known)];
    const words = quantiles.map(brief);
    // A value that many rows share can be several quantiles at once: it is written once.
    const room = extra.upright || Math.max(...words.slice(1, 4).map((word) => word.length)) <= 4;
    const told = (room ? [0, 1, 2, 3, 4] : [0, 2, 4]).filter((k) => words.indexOf(words[k]) === k);
    marks = { tickvals: told.map((k) => places[k]), ticktext: told.map((k) => words[k]) };
  }
  return plainAxis({
    range: [-3.15, 3.15], fixedrange: true, ticks: 'outside', ticklen: 3, tickangle: 0, showgrid: true, ...marks,
    automargin: extra.upright ?? false, title: axisTitle(index),
  });
}

function contourTrace({ grid, size: n, lines }) {
  const bytes = bytesOf(grid);
  const side = Array.from({ length: n }, (_, k) => -3 + (6 * k) / (n - 1));
  const step = 255 / (lines + 1);
  return {
    type: 'contour', x: side, y: side, z: side.map((_, k) => bytes.subarray(k * n, (k + 1) * n)), hoverinfo: 'skip', showscale: false,
    autocontour: false, contours: { start: step, end: lines * step, size: step, coloring: 'none' },
    line: { color: colour('accent'), width: 1.4, smoothing: 1 },
  };
}

function scatterPlot(pair, fit) {
  const [x, y] = [columnValues(pair.i), columnValues(pair.j)];
  const rows = x.map((_, row) => row).filter((row) => x[row] !== null && y[row] !== null);
  const alpha = rows.length > 500 ? 0.35 : rows.length > 150 ? 0.5 : 0.65;
  const points = {
    type: 'scatter', mode: 'markers', hoverinfo: 'skip', x: rows.map((row) => x[row]), y: rows.map((row) => y[row]),
    marker: { size: rows.length > 300 ? 4 : 5.5, color: withAlpha('dots', alpha) },
  };
  return {
    data: fit ? [points, contourTrace(fit)] : [points],
    layout: { xaxis: scoreAxis(pair.i), yaxis: scoreAxis(pair.j, { upright: true }) },
  };
}

function stripsPlot(pair, of) {
  const other = of === pair.i ? pair.j : pair.i;
  const [codes, scores] = [columnValues(of), columnValues(other)];
  const { levels } = dataColumns[of];
  const data = levels.map((_, level) => {
    const rows = codes.map((_, row) => row).filter((row) => codes[row] === level && scores[row] !== null);
    return {
      type: 'box', y: rows.map((row) => scores[row]), x: rows.map(() => level), hoverinfo: 'skip', boxpoints: 'all',
      jitter: 0.55, pointpos: 0, width: 0.62, fillcolor: withAlpha('accent', 0.1),
      line: { color: colour('accent'), width: 1.4 }, marker: { size: 4, color: withAlpha('dots', 0.45) },
    };
  });
  return { data, layout: { xaxis: levelAxis(of), yaxis: scoreAxis(other, { upright: true }) } };
}

function levelAxis(index) {
  const { levels } = dataColumns[index];
  return plainAxis({
    fixedrange: true, showgrid: false, range: [-0.6, levels.length - 0.4], automargin: true,
    tickvals: levels.map((_, k) => k), ticktext: levels.map((level) => forPlotly(level, 14)), title: axisTitle(index),
  });
}

function residualColour(count, expected) {
  const residual = expected > 0 ? (count - expected) / Math.sqrt(expected) : 0;
  const share = Math.min(1, Math.abs(residual) / 4);
  return withAlpha(residual >= 0 ? 'positive' : 'negative', 0.1 + 0.52 * share);
}

// What a cell can hold: its level and count, the count alone, or nothing.
function cellWords(level, count, width, height) {
  if (height < 13) return '';
  const told = count.toLocaleString('en');
  const both = `${forPlotly(level, 12)}: ${told}`;
  if (6.2 * (Math.min(12, level.length) + 2 + told.length) < width) return both;
  return 6.5 * told.length < width ? told : '';
}

// Columns as wide as they are frequent, cells as high as their share of the column.
function mosaicPlot(pair) {
  const [rows, columns] = [pair.i, pair.j].map((k) => dataColumns[k].levels);
  const counts = rows.map(() => columns.map(() => 0));
  const [a, b] = [columnValues(pair.i), columnValues(pair.j)];
  a.forEach((code, row) => { if (code !== null && b[row] !== null) counts[code][b[row]] += 1; });
  const sum = (some) => some.reduce((all, n) => all + n, 0);
  const across = columns.map((_, c) => sum(counts.map((row) => row[c])));
  const total = sum(across) || 1;
  const gap = 0.008;
  const lefts = across.map((_, c) => sum(across.slice(0, c)) / total);
  const share = (r, c) => (across[c] ? counts[r][c] / across[c] : 0);
  const data = rows.map((_, r) => ({
    type: 'bar', hoverinfo: 'skip', offset: 0, x: lefts, width: across.map((n) => Math.max(0, n / total - gap)),
    y: columns.map((_, c) => share(r, c)),
    marker: {
      color: columns.map((_, c) => residualColour(counts[r][c], (sum(counts[r]) * across[c]) / total)),
      line: { color: colour('surface'), width: 1.5 },
    },
    text: columns.map((_, c) => cellWords(rows[r], counts[r][c], 270 * (across[c] / total), 230 * share(r, c))),
    textposition: 'inside', insidetextanchor: 'middle', textangle: 0, constraintext: 'none',
    textfont: { size: 11, color: colour('ink') },
  }));
  const plain = { fixedrange: true, showgrid: false, automargin: true };
  return {
    data,
    layout: {
      barmode: 'stack',
      xaxis: plainAxis({ ...plain, range: [0, 1], title: axisTitle(pair.j),
        tickvals: lefts.map((left, c) => left + across[c] / total / 2), ticktext: columns.map((name) => forPlotly(name, 12)) }),
      yaxis: plainAxis({ ...plain, range: [0, 1], title: axisTitle(pair.i), showticklabels: false, ticks: '' }),
    },
  };
}

// The rows by a column: by its levels, or by its lower, middle and upper third.
function groupsOf(index) {
  const { levels } = dataColumns[index];
  const codes = columnValues(index);
  const third = (score) => (score === null ? null : score < -0.43 ? 0 : score > 0.43 ? 2 : 1);
  const names = levels ?? ['low', 'middle', 'high'];
  return names.map((name, k) => ({
    name: `${forPlotly(nodes[index].name, 18)} ${forPlotly(name, 14)}`, colour: partColour(k),
    rows: codes.map((_, row) => row).filter((row) => (levels ? codes[row] : third(codes[row])) === k),
  }));
}

// Two columns given a third, where only that shows how they depend on each other.
function givenFigure(pair, third) {
  const discrete = [pair.i, pair.j].filter((k) => dataColumns[k].kind !== 'continuous');
  const byThird = discrete.length === 0;
  if (!byThird && dataColumns[third].kind !== 'continuous') return null;
  const [across, up] = byThird ? [pair.i, pair.j]
    : discrete.length === 2 ? [pair.i, third] : [third, discrete[0] === pair.i ? pair.j : pair.i];
  const split = byThird ? third : discrete[discrete.length - 1];
  const [x, y] = [columnValues(across), columnValues(up)];
  const boxes = discrete.length === 2;
  const data = groupsOf(split).map((group) => {
    const rows = group.rows.filter((row) => x[row] !== null && y[row] !== null);
    const own = { name: group.name, hoverinfo: 'skip', x: rows.map((row) => x[row]), y: rows.map((row) => y[row]) };
    return boxes ? { ...own, type: 'box', boxpoints: false, line: { color: colour(group.colour), width: 1.4 } }
      : { ...own, type: 'scatter', mode: 'markers', marker: { size: 4.5, color: withAlpha(group.colour, 0.65) } };
  });
  return {
    data,
    layout: { xaxis: boxes ? levelAxis(across) : scoreAxis(across), yaxis: scoreAxis(up, { upright: true }), boxmode: 'group', showlegend: true,
      margin: { l: 52, r: 10, t: 44, b: 46 }, legend: { orientation: 'h', x: 0, y: 1.02, yanchor: 'bottom', font: { size: 11 } } },
    words: `The two given ${nodes[third].name}, which brings their dependence out; by rank.`,
  };
}

function pairFigure(pair) {
  const third = payload.why[keyOf(pair.i, pair.j)]?.third ?? null;
  const known = [pair.i, pair.j, third].every((k) => k !== null && dataColumns[k]);
  return (known && givenFigure(pair, third)) || plainFigure(pair);
}

function plainFigure(pair) {
  const fit = payload.fits[keyOf(pair.i, pair.j)];
  const kinds = [pair.i, pair.j].map((k) => dataColumns[k]?.kind);
  if (kinds.includes(undefined)) return null;
  const { n, shown: drawn } = payload.data;
  const rows = drawn < n ? `${drawn.toLocaleString('en')} of ${n.toLocaleString('en')} rows` : counted(n, 'row');
  const discrete = [pair.i, pair.j].filter((_, k) => kinds[k] !== 'continuous');
  if (discrete.length === 2) {
    return { ...mosaicPlot(pair),
      words: `${rows}. Columns as wide as they are frequent; blue: more rows than independence would give, orange: fewer.` };
  }
  if (discrete.length === 1) {
    return { ...stripsPlot(pair, discrete[0]),
      words: `${rows}, by rank. The axis is marked at the least and largest value and at the quartiles.` };
  }
  const curve = fit ? ', and the contours of the fitted copula' : '';
  return { ...scatterPlot(pair, fit),
    words: `${rows}, by rank${curve}. Axes are marked at the least, the middle and the largest value.` };
}

function drawPair(box, pair) {
  const figure = pairFigure(pair);
  if (!figure) return;
  const width = view.printing ? 420 : box.clientWidth;
  const layout = plainLayout({ width, height: Math.max(260, Math.min(340, 0.9 * width)), dragmode: false,
    margin: { l: 52, r: 10, t: 8, b: 46 }, ...figure.layout });
  window.Plotly.react(box, figure.data, layout, { ...plainConfig, staticPlot: true });
}
