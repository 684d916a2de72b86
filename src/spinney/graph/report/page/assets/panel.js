// The panel beside the drawing: what is known about the variable or pair that was chosen.

const panelTitle = byId('panel-title');
const panelBody = byId('panel-body');
let cameFrom = null; // the row of a table that opened the panel

function pairButton(pair, words) {
  return element('button', { type: 'button', class: 'link-row', onclick: () => choosePair(pair) }, ...words);
}

function strip(share) {
  const within = Math.max(0, Math.min(1, share));
  return element('span', { class: 'strip', 'aria-hidden': 'true', style: `--share:${within.toFixed(3)}` });
}

const relative = (pair) => size(pair) / (probable ? 1 : topScore);

function strongestList() {
  if (keptPairs.length === 0) return [element('p', { text: 'No pair was kept as an edge. The slider shows weaker pairs.' })];
  return [
    element('p', { class: 'hint', text: 'Choose a variable or a line in the graph, a row of a table, or one of the most probable edges:' }),
    element('ul', { class: 'link-list' }, ...keptPairs.slice(0, 12).map((pair) => element('li', {}, pairButton(pair, [
      element('span', { class: 'grow' }, nameElement(pair.i, 30), ' – ', nameElement(pair.j, 30)),
      strip(relative(pair)), element('span', { class: 'figure', text: number(pair.score) }),
    ])))),
  ];
}

function backButton() {
  const words = cameFrom ? 'Back to the table' : 'Close';
  return element('button', { type: 'button', class: 'button small', text: words, onclick: () => {
    const row = cameFrom;
    clearChoice();
    if (row?.isConnected) row.focus();
    else panelTitle.focus({ preventScroll: true });
  } });
}

function nodePanel(index) {
  const node = nodes[index];
  const near = neighboursOf(index);
  const facts = [node.kind];
  if (node.rows !== null) facts.push(counted(node.rows, 'row'));
  if (node.degree > 0) facts.push(`component ${node.component + 1}`);
  if (node.degree > 0 && node.predictability !== null) facts.push(`${number(node.predictability, 2)} explained by its neighbours`);
  return [
    element('p', { class: 'chips' }, ...facts.map((fact) => element('span', { class: 'chip', text: fact }))),
    element('h4', { text: near.length ? `${counted(near.length, 'neighbour')}` : 'No neighbour at this setting' }),
    element('ul', { class: 'link-list' }, ...near.map(({ pair, other }) => element('li', {}, pairButton(pair, [
      element('span', { class: `sign ${signWord(pair.sign) ?? ''}`, text: pair.sign === 1 ? '+' : pair.sign === -1 ? '−' : '·' }),
      element('span', { class: 'grow' }, nameElement(other, 44)), strip(relative(pair)),
      element('span', { class: 'figure', text: number(pair.score) }),
    ])))),
    element('p', {}, backButton()),
  ];
}

function evidenceTable(rows) {
  return element('table', { class: 'data evidence' },
    element('thead', {}, element('tr', {}, element('th', { scope: 'col', text: 'Measured' }),
      element('th', { scope: 'col', class: 'number', text: 'Value' }))),
    element('tbody', {}, ...rows.map((row) => element('tr', {},
      element('th', { scope: 'row' }, sentenceCase(row.name),
        row.meaning ? element('span', { class: 'meaning', text: row.meaning }) : null),
      element('td', { class: 'number', text: brief(row.value) })))));
}

function pathParagraph(path) {
  if (!path) return [];
  const steps = path.nodes.flatMap((node, k) => [
    k ? element('span', { class: 'muted', text: ' – ' }) : null,
    element('button', { type: 'button', class: 'inline', onclick: () => chooseNode(node) }, nameElement(node, 26)),
  ]);
  return [
    element('h4', { text: 'Strongest path around it' }),
    element('p', { class: 'path' }, ...steps.filter(Boolean)),
    element('p', { class: 'hint', text: `Its weakest link has a weight of ${number(path.weakest, 2)}. Marked in the graph.` }),
  ];
}

function elsewhere(pair) {
  const made = [];
  const row = payload.groups?.pairs.find(([i, j]) => i === pair.i && j === pair.j);
  if (row) {
    const words = payload.groups.names.map((name, g) => `${number(row[2 + g], 2)} in ${shorten(name, 24)}`);
    const differ = number(row[row.length - 1], 2);
    made.push(element('p', { text: `By groups: ${words.join(', ')}; they differ with probability ${differ}.` }));
  }
  return made;
}

function pairPanel(pair) {
  const why = payload.why[keyOf(pair.i, pair.j)];
  const chips = [
    element('span', { class: 'chip strong', text: `${scoreLabel} ${number(pair.score)}` }),
    signWord(pair.sign) && element('span', { class: `chip ${signWord(pair.sign)}`, text: pair.means ?? signWord(pair.sign) }),
    pair.kept && !pair.sign && element('span', { class: 'chip', text: 'sign open' }),
    pair.family && element('span', { class: 'chip', text: sentenceCase(pair.family) }),
    !pair.kept && element('span', { class: 'chip', text: 'not an edge' }),
    pair.verdict && element('span', { class: 'chip', text: pair.verdict }),
  ];
  const figure = pairFigure(pair);
  return [
    element('p', { class: 'chips' }, ...chips.filter(Boolean)),
    figure && element('div', { id: 'pair-plot', role: 'img', 'aria-label': `Data of the two variables. ${figure.words}` }),
    figure && element('p', { class: 'hint', text: figure.words }),
    ...(why ? [element('p', { text: why.sentences.join(' ') })] : []),
    ...(why ? [element('details', { class: 'numbers' },
      element('summary', { text: 'The evidence in numbers' }), element('p', { text: why.details }),
      why.evidence.length ? evidenceTable(why.evidence) : null)] : []),
    ...(why ? [] : [element('p', { class: 'hint', text: 'Details are kept for the best pairs only; this one is not among them.' })]),
    ...elsewhere(pair),
    ...pathParagraph(why?.path),
    element('p', {}, backButton()),
  ].filter(Boolean);
}

function showPanel() {
  const { chosen } = state;
  byId('panel').classList.toggle('chosen', chosen !== null);
  if (!chosen) {
    panelTitle.textContent = 'Details';
    panelBody.replaceChildren(...strongestList());
  } else if (chosen.node !== undefined) {
    panelTitle.replaceChildren(nameElement(chosen.node, 300));
    panelBody.replaceChildren(...nodePanel(chosen.node));
  } else {
    panelTitle.replaceChildren(nameElement(chosen.pair.i, 300), ' – ', nameElement(chosen.pair.j, 300));
    panelBody.replaceChildren(...pairPanel(chosen.pair));
    drawChosenPair();
  }
}

function drawChosenPair() {
  const box = byId('pair-plot');
  if (box && window.Plotly) drawPair(box, state.chosen.pair);
}

function choose(chosen, from) {
  const inside = byId('panel').contains(document.activeElement);
  state.chosen = chosen;
  cameFrom = from ?? null;
  replaceLabels();
  showPanel();
  byId('panel').scrollTop = 0;
  drawSoon();
  // Whoever came by a table is taken to the panel; whoever was in it stays in it.
  if (from || inside) panelTitle.focus({ preventScroll: true });
  const box = byId('panel').getBoundingClientRect();
  if (from || box.top > window.innerHeight - 120 || box.bottom < 120) {
    const target = byId(window.matchMedia('(min-width: 1000px)').matches ? 'graph-frame' : 'panel');
    target.scrollIntoView({ behavior: wantsStill.matches ? 'auto' : 'smooth', block: 'start' });
  }
}

function chooseNode(index) {
  choose({ node: index });
  announce(`${shorten(nodes[index].name, 80)}: ${counted(neighboursOf(index).length, 'neighbour')}`);
}

function choosePair(pair, from) {
  const seen = from === undefined && !byId('panel').contains(document.activeElement);
  choose({ pair }, from);
  if (!seen) bringNear(pair);
  announce(`${shorten(nodes[pair.i].name, 60)} and ${shorten(nodes[pair.j].name, 60)}: ${scoreLabel} ${number(pair.score)}`);
}

function clearChoice() {
  if (!state.chosen) return;
  state.chosen = null;
  cameFrom = null;
  replaceLabels();
  showPanel();
  drawSoon();
}

// The list of neighbours follows the slider.
function choiceFollows() {
  if (state.chosen?.node !== undefined) showPanel();
}
