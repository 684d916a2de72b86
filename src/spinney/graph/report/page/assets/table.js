// The table of edges: sort, filter, more rows, download. The page brings its first rows ready made.

const ROWS_AT_ONCE = 200;
const LARGEST_FIRST = ['score', 'strength', 'tau', 'rows'];
const edgeTable = byId('edge-table');
const tableState = { key: 'rank', falling: false, rows: ROWS_AT_ONCE };

const lowerNames = nodes.map((node) => shown(node.name).toLowerCase());

function tableRows() {
  const wanted = byId('filter').value.trim().toLowerCase();
  const verdict = byId('verdict')?.value;
  const listed = byId('which-pairs').value === 'all' ? pairs : keptPairs;
  const all = verdict ? listed.filter((pair) => pair.verdict === verdict) : listed;
  if (!wanted) return all;
  return all.filter((pair) => lowerNames[pair.i].includes(wanted) || lowerNames[pair.j].includes(wanted)
    || (pair.family ?? '').toLowerCase().includes(wanted));
}

function sortValue(pair, key) {
  if (key === 'i' || key === 'j') return lowerNames[pair[key]];
  const value = pair[key];
  return typeof value === 'boolean' ? Number(!value) : value; // yes before no
}

const collator = new Intl.Collator('en', { numeric: true });
function sorted(some) {
  const { key, falling } = tableState;
  const turn = falling ? -1 : 1;
  return [...some].sort((a, b) => {
    const [x, y] = [sortValue(a, key), sortValue(b, key)];
    if (x === null || y === null) return (x === null) - (y === null) || a.rank - b.rank; // unknown last
    const order = typeof x === 'string' ? collator.compare(x, y) : x - y;
    return turn * order || a.rank - b.rank;
  });
}

function cell(kind, ...content) {
  return element('td', { class: kind }, ...content);
}

function yesNo(value) {
  return value === null || value === undefined ? '–' : value ? 'yes' : 'no';
}

function signCell({ sign, means, kept }) {
  const word = signWord(sign);
  if (!word) return cell('means', element('span', { class: 'muted', text: kept ? 'open' : '–' }));
  return cell('means', element('span', { class: `sign ${word}`, text: sign === 1 ? '+' : '−' }),
    ` ${means ?? word}`);
}

function tableRow(pair) {
  const open = element('button', { type: 'button', class: 'row-button' }, nameElement(pair.i, 32),
    element('span', { class: 'hidden-but-read' }, ' and ', nameElement(pair.j, 32), ': show details'));
  const share = Math.max(0, Math.min(1, relative(pair))).toFixed(3);
  const bar = element('span', { class: 'bar', style: `--share:${share}`, text: number(pair.score) });
  const row = element('tr', { class: pair.kept ? null : 'left-out' },
    cell('number', String(pair.rank)), element('th', { scope: 'row', class: 'name' }, open), cell('name', nameElement(pair.j, 32)),
    cell('number', bar), signCell(pair), cell('number', number(pair.strength, 2)), cell('number', number(pair.tau, 2)),
    probable ? null : cell('word', sentenceCase(pair.family ?? '–')), cell('number', pair.rows?.toLocaleString('en') ?? '–'),
    probable ? cell('number', number(pair.fdr)) : null, probable ? cell('word', pair.verdict) : null,
    cell('word', yesNo(pair.kept)));
  row.addEventListener('click', () => choosePair(pair, open));
  return row;
}

function drawTable() {
  const rows = sorted(tableRows());
  const some = rows.slice(0, tableState.rows);
  edgeTable.tBodies[0].replaceChildren(...some.map(tableRow));
  byId('show-more').hidden = rows.length <= some.length;
  byId('rows-shown').textContent = rows.length > some.length
    ? `${some.length.toLocaleString('en')} of ${counted(rows.length, 'row')} are shown.`
    : rows.length ? `${counted(rows.length, 'row')}.` : 'No pair fits this filter.';
  return rows.length;
}

function sortBy(key) {
  tableState.falling = tableState.key === key ? !tableState.falling : LARGEST_FIRST.includes(key);
  tableState.key = key;
  edgeTable.querySelectorAll('thead th').forEach((head) => {
    if (head.dataset.key === key) head.setAttribute('aria-sort', tableState.falling ? 'descending' : 'ascending');
    else head.removeAttribute('aria-sort');
  });
  drawTable();
}

// Text that a spreadsheet would run as a formula is told to be text.
function csvCell(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  const harmless = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replace(/"/g, '""')}"` : harmless;
}

function tableCsv() {
  const names = ['rank', 'source', 'target', payload.score.key, 'edge', 'sign', 'strength', 'tau', 'family', 'rows',
    'expected_fdr', 'verdict', 'strength_low', 'strength_high', 'sign_means'];
  const lines = sorted(tableRows()).map((pair) => [pair.rank, nodes[pair.i].name, nodes[pair.j].name, pair.score, pair.kept,
    pair.sign, pair.strength, pair.tau, pair.family, pair.rows, pair.fdr, pair.verdict, pair.low, pair.high,
    pair.means]);
  return [names, ...lines].map((line) => line.map(csvCell).join(',')).join('\r\n') + '\r\n';
}

function startTable() {
  edgeTable.querySelectorAll('thead th').forEach((head) => {
    const words = head.textContent.trim();
    head.replaceChildren(element('button', { type: 'button', class: 'sort', onclick: () => {
      sortBy(head.dataset.key);
      announce(`Sorted by ${words}, ${tableState.falling ? 'falling' : 'rising'}`);
    } }, words, element('span', { class: 'arrow', 'aria-hidden': 'true' })));
  });
  const anew = () => {
    tableState.rows = ROWS_AT_ONCE;
    announce(counted(drawTable(), 'row'));
  };
  let typing = 0;
  byId('filter').addEventListener('input', () => { clearTimeout(typing); typing = setTimeout(anew, 90); });
  byId('which-pairs').addEventListener('change', anew);
  byId('verdict')?.addEventListener('change', () => {
    if (byId('verdict').value === 'absent') byId('which-pairs').value = 'all'; // edges seldom are
    anew();
  });
  byId('show-more').addEventListener('click', () => {
    const before = tableState.rows;
    tableState.rows += 2 * ROWS_AT_ONCE;
    drawTable();
    edgeTable.tBodies[0].rows[before]?.querySelector('button').focus();
  });
  byId('download').addEventListener('click', () => {
    download(byId('which-pairs').value === 'all' ? 'pairs.csv' : 'edges.csv', 'text/csv;charset=utf-8', tableCsv());
    announce('The table was saved as CSV');
  });
  if (keptPairs.length === 0) byId('which-pairs').value = 'all';
  drawTable();
}
