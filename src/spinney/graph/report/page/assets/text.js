// Text and elements. Names are data: they reach the page by textContent only, and plotly escaped.

const byId = (id) => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === 'text') made.textContent = value;
    else if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// One line, without what cannot be seen or turns the order of letters around, as `plain_line` does it.
function shown(text) {
  const seen = String(text).replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}\u202a-\u202e\u2066-\u2069]/gu, '');
  return seen.replace(/ +/g, ' ').trim();
}

function shorten(text, limit = 48) {
  const marks = Array.from(shown(text));
  if (marks.length <= limit) return marks.join('');
  const tail = Math.floor((limit - 1) / 2);
  return `${marks.slice(0, limit - 1 - tail).join('').trimEnd()}…${marks.slice(-tail).join('').trimStart()}`;
}

// Labels come with the payload: short names, no two the same.
function shortName(index, limit) {
  const { name, label } = nodes[index];
  return shorten(limit <= 48 ? label : name, limit);
}

// A name in an element of its own, so that one written from right to left turns nothing else.
function nameElement(index, limit = 48) {
  const whole = shown(nodes[index].name);
  const short = shortName(index, limit);
  return element('bdi', { text: short, title: short === whole ? null : shorten(whole, 300) });
}

// Plotly reads a little HTML and, where MathJax is about, formulas between dollars: not in names.
function forPlotly(text, limit = 40) {
  return shorten(text, limit)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/\$/g, '&#36;');
}

function number(value, digits = 3) {
  if (value === null || value === undefined) return '–';
  if (value < 1 && value >= 1 - 0.5 * 10 ** -digits) return `>${(1 - 10 ** -digits).toFixed(digits)}`;
  if (value > 0 && value < 0.5 * 10 ** -digits) return `<${(10 ** -digits).toFixed(digits)}`;
  return value.toFixed(digits).replace('-', '−');
}

const counted = (n, thing) => `${n.toLocaleString('en')} ${thing}${n === 1 ? '' : 's'}`;

function sentenceCase(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

let announcing = 0;
function announce(text) {
  // Not at every step of a slider: only where it comes to rest.
  clearTimeout(announcing);
  announcing = setTimeout(() => { byId('announce').textContent = text; }, 350);
}

function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = element('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
