// What plotly's labels say of the variable or pair under the pointer.

// Isolated: a name that is written from right to left turns nothing else.
const hoverName = (index) => `\u2068${forPlotly(shortName(index, 40), 40)}\u2069`;

function nodeWords(index) {
  return `<b>${hoverName(index)}</b><br>${nodes[index].kind}, ${counted(neighboursOf(index).length, 'edge')} shown`;
}

function pairWords(pair) {
  const [first, second] = [pair.i, pair.j].map(hoverName);
  const between = first.length + second.length > 44 ? '–<br>' : '– ';
  const words = [`${scoreLabel} ${number(pair.score)}`, pair.means ?? signWord(pair.sign), pair.family && sentenceCase(pair.family)];
  const told = words.filter(Boolean).map((word) => forPlotly(word, 60));
  if (!pair.kept) told.push('not kept as an edge');
  return `<b>${first} ${between}${second}</b><br>${told.join('<br>')}`;
}
