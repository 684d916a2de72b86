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

// As in words.py: control characters are shown by their pictures, space stays space, and marks
// that turn the order of letters around are shown instead of obeyed.
function shown(text) {
  return Array.from(String(text), (mark) => {
    const code = mark.codePointAt(0);
    if ((code >= 9 && code <= 13) || code === 0x2028 || code === 0x2029) return ' ';
    if (code < 32) return String.fromCodePoint(0x2400 + code);
    if (code === 127) return '\u2421';
    if ((code > 127 && code < 160) || (code >= 0xd800 && code < 0xe000)) return '\ufffd';
    if ((code >= 0x202a && code < 0x202f) || (code >= 0x2066 && code < 0x206a)) return '\ufffd';
    return mark;
  }).join('');
}

function shorten(text, limit = 48) {
  const marks = Array.from(text.length > 4000 ? shown(text.slice(0, 2000) + text.slice(-2000)) : shown(text));
  if (marks.length <= limit) return marks.join('');
  const tail = Math.floor((limit - 1) / 2);
  return `${marks.slice(0, limit - 1 - tail).join('').trimEnd()}…${marks.slice(-tail).join('').trimStart()}`;
}

// Labels come with the payload: short names, no two the same.
function shortName(index, limit) {
  const { name, label } = nodes[index];
  return shorten(limit <= 48 ? label ?? name : name, limit);
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
