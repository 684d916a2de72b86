// Moves in the drawing: drag a node, pan and zoom, hover, click.

const frame = byId('graph-frame');
let drag = null; // the node that is being moved

function setView(x, y) {
  view.x = x;
  view.y = y;
  replaceLabels();
  drawSoon();
}

function zoomBy(factor, centre = [0.5, 0.5]) {
  const now = currentView();
  const about = (range, share) => {
    const fixed = range[0] + share * (range[1] - range[0]);
    return range.map((end) => fixed + (end - fixed) * factor);
  };
  setView(about(now.x, centre[0]), about(now.y, centre[1]));
}

function panBy(across, up) {
  const now = currentView();
  const [right, high] = [across * (now.x[1] - now.x[0]), up * (now.y[1] - now.y[0])];
  setView(now.x.map((end) => end + right), now.y.map((end) => end + high));
}

function showAll() {
  setView(null, null);
}

// Bring a place into the middle, and show so much around it.
function showAround([x, y], across, up) {
  setView([x - across / 2, x + across / 2], [y - up / 2, y + up / 2]);
}

const wholeSpan = (key) => wholeView()[key][1] - wholeView()[key][0];

// Near enough to read the surroundings of a node.
function centreOn(index) {
  const share = nodes.length <= ALL_LABELS ? 0.75 : isLarge ? 0.16 : 0.35;
  const now = currentView();
  const span = (key) => Math.min(now[key][1] - now[key][0], share * wholeSpan(key));
  showAround(positions[index], span('x'), span('y'));
}

// A pair chosen elsewhere may be a speck in a large graph, or out of sight.
function bringNear(pair) {
  const [width, height] = graphSize();
  const [from, to] = [positions[pair.i], positions[pair.j]];
  const [a, b] = [toPixels(from), toPixels(to)];
  const inside = [a, b].every(([x, y]) => x > 0 && x < width && y > 0 && y < height);
  if (inside && Math.hypot(a[0] - b[0], a[1] - b[1]) > 60) return;
  const span = (key, k) => Math.max(1.5 * Math.abs(from[k] - to[k]), (isLarge ? 0.12 : 0.28) * wholeSpan(key));
  showAround([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2], span('x', 0), span('y', 1));
}

function pointerPlace(event) {
  const box = graphPlot.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function nodeAt(place) {
  let found = null;
  let least = Infinity;
  positions.forEach((position, k) => {
    const [x, y] = toPixels(position);
    const away = Math.hypot(x - place[0], y - place[1]) - nodeRadius(k);
    if (away < 4 && away < least) [found, least] = [k, away];
  });
  return found;
}

function startDragging() {
  let pressed = null;
  let answered = false;
  // Plotly pans on mousedown; where a node was hit it must not hear of it.
  frame.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || !graphPlot.contains(event.target)) return;
    const place = pointerPlace(event);
    pressed = place;
    answered = false;
    const index = nodeAt(place);
    if (index === null) return;
    drag = { index, pointer: event.pointerId, moved: false, from: place };
    event.stopPropagation();
  }, true);
  for (const kind of ['mousedown', 'touchstart']) {
    frame.addEventListener(kind, (event) => {
      frame.dataset.active = 'yes';
      if (drag === null) return;
      event.stopPropagation();
      event.preventDefault();
      frame.focus({ preventScroll: true });
    }, { capture: true, passive: false });
  }
  window.addEventListener('pointermove', (event) => {
    if (drag === null || event.pointerId !== drag.pointer) return;
    const place = pointerPlace(event);
    if (!drag.moved && Math.hypot(place[0] - drag.from[0], place[1] - drag.from[1]) < 4) return;
    drag.moved = true;
    positions[drag.index] = fromPixels(place);
    drawSoon();
  });
  window.addEventListener('pointerup', (event) => {
    if (drag !== null && event.pointerId === drag.pointer) {
      const { index, moved } = drag;
      drag = null;
      pressed = null;
      if (moved) {
        replaceLabels();
        drawSoon();
      } else chooseNode(index);
      return;
    }
    // A click on the bare ground: nothing is chosen any more. Plotly reports clicks on lines itself.
    if (pressed === null) return;
    const place = pointerPlace(event);
    const still = Math.hypot(place[0] - pressed[0], place[1] - pressed[1]) < 4;
    pressed = null;
    if (still) setTimeout(() => { if (!answered) clearChoice(); }, 60);
  });
  window.addEventListener('pointercancel', () => { drag = null; pressed = null; });
  graphPlot.on('plotly_click', ({ points, event }) => {
    // Plotly looks where the pointer is only now and then: after a quick move it may be elsewhere.
    const [place, at] = [pointerPlace(event), toPixels([points[0].x, points[0].y])];
    if (Math.hypot(place[0] - at[0], place[1] - at[1]) > 30) return;
    answered = true;
    const kind = graphPlot.data[points[0].curveNumber].meta;
    if (kind === 'pairs') choosePair(pairs[points[0].customdata]);
    else if (kind === 'nodes') chooseNode(points[0].customdata);
  });
  graphPlot.on('plotly_hover', () => graphPlot.classList.add('pointing'));
  graphPlot.on('plotly_unhover', () => graphPlot.classList.remove('pointing'));
}

function startZooming() {
  // Scrolling zooms once the reader has turned to the graph; before, it scrolls the page.
  let hinting = 0;
  frame.addEventListener('wheel', (event) => {
    if (event.ctrlKey || frame.dataset.active === 'yes') {
      event.preventDefault();
      event.stopPropagation();
      const place = pointerPlace(event);
      const [width, height] = graphSize();
      zoomBy(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 300), [place[0] / width, 1 - place[1] / height]);
      return;
    }
    event.stopPropagation();
    frame.classList.add('hinting');
    clearTimeout(hinting);
    hinting = setTimeout(() => frame.classList.remove('hinting'), 1400);
  }, { capture: true, passive: false });
  document.addEventListener('pointerdown', (event) => {
    if (!frame.contains(event.target)) delete frame.dataset.active;
  });
  graphPlot.on('plotly_relayout', (change) => {
    if (!('xaxis.range[0]' in change)) return;
    view.x = [change['xaxis.range[0]'], change['xaxis.range[1]']];
    view.y = [change['yaxis.range[0]'] ?? currentView().y[0], change['yaxis.range[1]'] ?? currentView().y[1]];
    replaceLabels();
    drawSoon();
  });
  graphPlot.on('plotly_doubleclick', showAll);
  byId('zoom-in').addEventListener('click', () => zoomBy(1 / 1.35));
  byId('zoom-out').addEventListener('click', () => zoomBy(1.35));
  byId('zoom-reset').addEventListener('click', () => { showAll(); announce('The whole graph is shown'); });
  const keys = {
    '+': () => zoomBy(1 / 1.35), '=': () => zoomBy(1 / 1.35), '-': () => zoomBy(1.35), 0: showAll,
    ArrowLeft: () => panBy(-0.12, 0), ArrowRight: () => panBy(0.12, 0),
    ArrowUp: () => panBy(0, 0.12), ArrowDown: () => panBy(0, -0.12), Escape: () => clearChoice(),
  };
  frame.addEventListener('keydown', (event) => {
    if (event.target !== frame || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
}

function startPicture() {
  byId('save-picture').addEventListener('click', () => {
    const [width, height] = graphSize();
    window.Plotly.downloadImage(graphPlot, { format: 'svg', width, height, filename: 'graph' });
  });
  let waiting = 0;
  new ResizeObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      // It also calls when it starts to observe; a drawing made anew ends the drag under way.
      const [width, height] = graphSize();
      if (frame.clientWidth === width && frame.clientHeight === height) return;
      sizeChanged();
      redrawn.forEach((draw) => draw());
    }, 120);
  }).observe(frame);
}
