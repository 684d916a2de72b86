// The heat map of all pairs, and how well probabilities have come true.

const heatPlot = byId('heat-plot');
const { order } = payload.heat;
const NAMED_CELLS = 40; // so many names fit beside a heat map
const heatView = { x: null, y: null };

function heatTicks(range) {
  const [low, high] = range ? [Math.ceil(Math.min(...range)), Math.floor(Math.max(...range))] : [0, order.length - 1];
  if (high - low + 1 > NAMED_CELLS) return { showticklabels: false, ticks: '' };
  const places = order.map((_, k) => k).slice(Math.max(0, low), high + 1);
  return { tickvals: places, ticktext: places.map((k) => forPlotly(nodes[order[k]].name, heatPlot.clientWidth < 500 ? 10 : 14)), ticks: '' };
}

function drawHeat() {
  const width = view.printing ? 560 : heatPlot.clientWidth;
  if (!width || order.length < 2) return;
  const largest = probable ? 1 : payload.heat.scale ?? 1;
  const z = order.map((i) => order.map((j) => (i === j ? null : heatScore(i, j))));
  const axis = (range, extra) => plainAxis({
    showgrid: false, showline: false, fixedrange: order.length <= NAMED_CELLS, automargin: true, tickangle: extra.angle,
    range: range ?? extra.range, tickfont: { size: order.length > 26 ? 9 : 10.5, color: colour('muted') },
    ...heatTicks(range), constrain: 'domain', ...extra.more,
  });
  const last = order.length - 0.5;
  const side = Math.min(width, 640);
  window.Plotly.react(heatPlot, [{
    type: 'heatmap', z, hoverinfo: 'none', zmin: 0, zmax: largest, xgap: order.length <= NAMED_CELLS ? 1 : 0, ygap: order.length <= NAMED_CELLS ? 1 : 0,
    colorscale: [0, 1, 2, 3, 4].map((k) => [k / 4, colour(`heat-${k}`)]),
    colorbar: { orientation: 'h', thickness: 8, len: 0.6, y: 1.01, yanchor: 'bottom', x: 0.5, outlinewidth: 0, tickfont: { size: 10, color: colour('muted') },
      tickvals: probable ? [0, 0.5, 1] : undefined, title: { text: '', side: 'top' } },
  }], plainLayout({
    width: side, height: side + 24, margin: { l: 8, r: 8, t: 34, b: 8 }, dragmode: order.length <= NAMED_CELLS ? false : 'zoom',
    xaxis: axis(heatView.x, { angle: -90, range: [-0.5, last], more: {} }),
    yaxis: axis(heatView.y, { angle: 0, range: [last, -0.5], more: { scaleanchor: 'x' } }),
  }), plainConfig);
}

function startHeat() {
  drawHeat();
  redrawn.push(drawHeat);
  const pairUnder = ({ points }) => {
    const [i, j] = [order[points[0].y], order[points[0].x]];
    return i === undefined || j === undefined || i === j ? null : pairOf(i, j);
  };
  heatPlot.on?.('plotly_hover', (event) => {
    const pair = pairUnder(event);
    if (pair) showTooltip(event.event, pairTooltip(pair));
  });
  heatPlot.on?.('plotly_unhover', hideTooltip);
  heatPlot.on?.('plotly_click', (event) => {
    const pair = pairUnder(event);
    if (pair) choosePair(pair, byId('heat'));
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

function drawReliability() {
  const box = byId('reliability-plot');
  const points = payload.calibration?.reliability;
  if (!box || !points) return;
  const side = view.printing ? 300 : Math.min(360, box.clientWidth);
  const largest = Math.max(...points.map(([, , n]) => n));
  const axis = (text) => plainAxis({ range: [-0.03, 1.03], fixedrange: true, dtick: 0.25, title: { text, font: { size: 12 }, standoff: 6 } });
  window.Plotly.react(box, [
    { type: 'scatter', mode: 'lines', x: [0, 1], y: [0, 1], hoverinfo: 'skip', line: { color: colour('control'), width: 1, dash: '5px,4px' } },
    { type: 'scatter', mode: 'lines+markers', hoverinfo: 'skip', x: points.map(([p]) => p), y: points.map(([, p]) => p),
      line: { color: colour('accent'), width: 1.6 },
      marker: { color: colour('accent'), opacity: 1, size: points.map(([, , n]) => 5 + 7 * Math.sqrt(n / largest)), line: { color: colour('surface'), width: 1 } } },
  ], plainLayout({ width: side, height: 0.9 * side, margin: { l: 48, r: 8, t: 8, b: 42 }, xaxis: axis('said'), yaxis: axis('came true') }),
  { ...plainConfig, staticPlot: true });
}
