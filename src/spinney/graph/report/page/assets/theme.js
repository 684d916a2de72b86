// Light and dark. Figures take their colours from the style sheet, so both change together.

const root = document.documentElement;
const wantsDark = window.matchMedia('(prefers-color-scheme: dark)');
const wantsStill = window.matchMedia('(prefers-reduced-motion: reduce)');
const fontFamily = getComputedStyle(root).getPropertyValue('--font').trim() || 'sans-serif';

const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : wantsDark.matches);

let colourCache = null;
function colour(name) {
  colourCache ??= new Map();
  if (!colourCache.has(name)) {
    colourCache.set(name, getComputedStyle(root).getPropertyValue(`--${name}`).trim());
  }
  return colourCache.get(name);
}

function withAlpha(name, alpha) {
  const code = parseInt(colour(name).slice(1), 16);
  return `rgba(${code >> 16}, ${(code >> 8) & 255}, ${code & 255}, ${alpha})`;
}

const redrawn = []; // what has to be drawn again when colours change
function themeChanged() {
  colourCache = null;
  byId('theme').setAttribute('aria-pressed', String(isDark()));
  redrawn.forEach((draw) => draw());
}

function startTheme() {
  byId('theme').addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try {
      localStorage.setItem('spinney-theme', root.dataset.theme);
    } catch {
      // Not remembered then.
    }
    themeChanged();
    announce(isDark() ? 'Dark colours' : 'Light colours');
  });
  wantsDark.addEventListener('change', themeChanged);
  byId('theme').setAttribute('aria-pressed', String(isDark()));
}

// What all figures share.
function plainLayout(extra) {
  return {
    paper_bgcolor: 'rgba(0,0,0,0)',
    plot_bgcolor: 'rgba(0,0,0,0)',
    font: { family: fontFamily, size: 12, color: colour('ink') },
    showlegend: false,
    hoverlabel: {
      bgcolor: colour('raised'), bordercolor: colour('control'), align: 'left',
      font: { family: fontFamily, size: 13, color: colour('ink') },
    },
    hovermode: 'closest',
    ...extra,
  };
}

function plainAxis(extra) {
  return {
    zeroline: false,
    gridcolor: colour('line'),
    linecolor: colour('faint'),
    tickcolor: colour('faint'),
    tickfont: { size: 11, color: colour('muted') },
    ...extra,
  };
}

const plainConfig = { displayModeBar: false, showTips: false, doubleClick: false };
