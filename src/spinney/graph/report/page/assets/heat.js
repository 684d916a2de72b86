// The heat map of all pairs, or of the best connected variables.

const heatPlot = byId('heat-plot');
const { order } = payload.heat;
const NAMED_CELLS = 40; // so many names fit beside a heat map
const heatView = { x: null, y: null };
let heatWords = null;

function heatTicks(range) {
  const [low, high] = range ? [Math.ceil(Math.min(...range)), Math.floor(Math.max(...range))] : [0, order.length - 1];
  if (high - low + 1 > NAMED_CELLS) return { showticklabels: false, ticks: '' };
  const places = order.map((_, k) => k).slice(Math.max(0, low), high + 1);
  const limit = heatPlot.clientWidth < 500 ? 10 : 14;
  return { tickvals: places, ticktext: places.map((k) => forPlotly(shortName(order[k], limit), limit)), ticks: '' };
}

function heatAxis(range, whole, extra) {
  return plainAxis({
    range: range ?? whole, showgrid: false, showline: false, automargin: true, constrain: 'domain',
    fixedrange: order.length <= NAMED_CELLS,
    tickfont: { size: order.length > 26 ? 9 : 10.5, color: colour('muted') },
    ...heatTicks(range), ...extra,
  });
}

function drawHeat() {
  const width = view.printing ? 560 : heatPlot.clientWidth;
  if (!width || order.length < 2) return;
  const gap = order.length <= NAMED_CELLS ? 1 : 0;
  const last = order.length - 0.5;
  const side = Math.min(width, 640);
  heatWords ??= order.map((i) => order.map((j) => (i === j ? '' : pairWords(pairOf(i, j)))));
  const trace = {
    type: 'heatmap', hoverinfo: 'text', hovertext: heatWords, hoverongaps: false, xgap: gap, ygap: gap,
    z: order.map((i) => order.map((j) => (i === j ? null : heatScore(i, j)))),
    zmin: 0, zmax: probable ? 1 : payload.heat.scale ?? 1,
    colorscale: [0, 1, 2, 3, 4].map((k) => [k / 4, colour(`heat-${k}`)]),
    colorbar: {
      orientation: 'h', thickness: 8, len: 0.6, x: 0.5, y: 1.01, yanchor: 'bottom', outlinewidth: 0,
      tickfont: { size: 10, color: colour('muted') }, tickvals: probable ? [0, 0.5, 1] : undefined,
    },
  };
  window.Plotly.react(heatPlot, [trace], plainLayout({
    width: side, height: side + 24, margin: { l: 8, r: 8, t: 34, b: 8 }, dragmode: gap ? false : 'zoom',
    xaxis: heatAxis(heatView.x, [-0.5, last], { tickangle: -90 }),
    yaxis: heatAxis(heatView.y, [last, -0.5], { scaleanchor: 'x' }),
  }), plainConfig);
}

function startHeat() {
  drawHeat();
  redrawn.push(drawHeat);
  heatPlot.on?.('plotly_click', ({ points }) => {
    const [i, j] = [order[points[0].y], order[points[0].x]];
    if (i !== undefined && j !== undefined && i !== j) choosePair(pairOf(i, j), byId('heat'));
  });
  heatPlot.on?.('plotly_relayout', (change) => {
    if (!('xaxis.range[0]' in change)) return;
    heatView.x = [change['xaxis.range[0]'], change['xaxis.range[1]']];
    heatView.y = [change['yaxis.range[0]'], change['yaxis.range[1]']];
    drawHeat();
  });
  heatPlot.on?.('plotly_doubleclick', () => {
    heatView.x = null;
    heatView.y = null;
    drawHeat();
  });
}
