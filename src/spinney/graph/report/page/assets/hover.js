// What plotly's labels say of the variable or pair under the pointer.

// Isolated: a name that is written from right to left turns nothing else.
const hoverNames = nodes.map((_, k) => `\u2068${forPlotly(shortName(k, 40), 40)}\u2069`);
const hoverScore = forPlotly(scoreLabel, 60);

function nodeWords(index) {
  return `<b>${hoverNames[index]}</b><br>${nodes[index].kind}, ${counted(neighboursOf(index).length, 'edge')} shown`;
}

function pairWords(pair) {
  const [first, second] = [hoverNames[pair.i], hoverNames[pair.j]];
  const between = first.length + second.length > 44 ? '–<br>' : '– ';
  const more = [pair.means ?? signWord(pair.sign), pair.family && sentenceCase(pair.family)];
  const told = [`${hoverScore} ${number(pair.score)}`, ...more.filter(Boolean).map((word) => forPlotly(word, 60))];
  if (!pair.kept) told.push('not kept as an edge');
  return `<b>${first} ${between}${second}</b><br>${told.join('<br>')}`;
}
