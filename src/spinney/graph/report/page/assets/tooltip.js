// One small box for what the pointer is on; its text is text.

function showTooltip(event, lines) {
  const box = byId('tooltip');
  box.replaceChildren(...lines);
  box.hidden = false;
  const gap = 14;
  const { width, height } = box.getBoundingClientRect();
  let left = event.clientX + gap;
  let top = event.clientY + gap;
  if (left + width > window.innerWidth - 8) left = Math.max(8, event.clientX - width - gap);
  if (top + height > window.innerHeight - 8) top = Math.max(8, event.clientY - height - gap);
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}

function hideTooltip() {
  byId('tooltip').hidden = true;
}

function nodeTooltip(index) {
  const node = nodes[index];
  const degree = neighboursOf(index).length;
  return [
    element('strong', {}, nameElement(index, 80)),
    element('span', { text: `${node.kind}, ${counted(degree, 'edge')} shown` }),
  ];
}

function pairTooltip(pair) {
  const words = [`${scoreLabel} ${number(pair.score)}`, pair.means ?? signWord(pair.sign), pair.family && sentenceCase(pair.family)];
  return [
    element('strong', {}, nameElement(pair.i, 60), ' – ', nameElement(pair.j, 60)),
    element('span', { text: words.filter(Boolean).join(', ') }),
    pair.kept ? null : element('span', { class: 'muted', text: 'not kept as an edge' }),
  ].filter(Boolean);
}
