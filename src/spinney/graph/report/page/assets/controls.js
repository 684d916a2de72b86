// The controls above the drawing: how strict, which colours, find a variable.

const slider = byId('threshold');
const kindSelect = byId('threshold-kind');
const strengthSlider = byId('least-strength');

const scoreRange = (() => {
  const scores = drawable.map(size);
  return [Math.min(...scores, 1), Math.max(...scores, 0)];
})();

function sliderLimits() {
  if (state.kind === 'fdr') {
    const most = Math.max(0.05, ...drawable.map((pair) => pair.fdr ?? 0));
    return { min: 0, max: Math.min(1, Math.ceil(most * 100) / 100), step: 0.005 };
  }
  if (probable) return { min: Math.floor(scoreRange[0] * 100) / 100, max: 1, step: 0.01 };
  const step = 10 ** (Math.floor(Math.log10(Math.max(1e-9, scoreRange[1] - scoreRange[0]))) - 2);
  return { min: Math.floor(scoreRange[0] / step) * step, max: Math.ceil(scoreRange[1] / step) * step, step };
}

// Where the slider stands for the edges as they were learned.
function learnedValue() {
  if (keptPairs.length === 0) return Number(slider.max);
  if (state.kind === 'fdr') return Math.max(...keptPairs.map((pair) => pair.fdr ?? 0));
  return payload.score.cut ?? Math.min(...keptPairs.map(size));
}

function sliderWords() {
  const value = state.value ?? learnedValue();
  if (state.kind === 'fdr') return `${(100 * value).toFixed(1)} %`;
  return probable ? value.toFixed(2) : Number(value.toPrecision(3)).toString();
}

function showCount() {
  const some = shownPairs();
  let words = `${counted(some.length, 'edge')} shown`;
  if (probable && some.length) {
    const wrong = expectedFalse(some);
    const about = wrong < 0.05 ? 'hardly any' : wrong < 10 ? `about ${wrong.toFixed(1)}` : `about ${Math.round(wrong)}`;
    words += `, ${about} of them expected to be false`;
  }
  const learned = state.value === null && state.strength === 0;
  byId('counted').textContent = `${words}${learned ? ' (as learned)' : ''}.`;
  byId('threshold-value').textContent = sliderWords();
  byId('as-learned').hidden = learned;
  slider.setAttribute('aria-label', kindSelect.selectedOptions[0].textContent);
  slider.setAttribute('aria-valuetext', `${sliderWords()}: ${words}`);
  if (strengthSlider) byId('least-strength-value').textContent = state.strength.toFixed(2);
  [slider, strengthSlider].filter(Boolean).forEach((one) => {
    one.style.setProperty('--filled', `${(100 * (one.value - one.min)) / (one.max - one.min || 1)}%`);
  });
  return words;
}

function resetSlider() {
  Object.assign(slider, sliderLimits());
  slider.value = learnedValue();
  showCount();
}

// Other edges are shown.
function edgesChanged() {
  choiceFollows();
  drawSoon();
  announce(showCount());
}

function asLearned() {
  state.strength = 0;
  if (strengthSlider) strengthSlider.value = 0;
  setThreshold(state.kind, null);
  resetSlider();
  edgesChanged();
}

function findNode() {
  const wanted = byId('search').value.trim().toLowerCase();
  if (!wanted) return;
  const tests = [
    (name) => name === wanted || shorten(name, 200) === wanted, // very long names are listed shortened
    (name) => name.startsWith(wanted),
    (name) => name.includes(wanted),
  ];
  const index = tests.map((test) => lowerNames.findIndex(test)).find((k) => k >= 0);
  if (index === undefined) {
    announce(`No variable is called ${wanted}`);
    byId('search').setAttribute('aria-invalid', 'true');
    return;
  }
  chooseNode(index);
  centreOn(index);
}

function startControls() {
  resetSlider();
  slider.addEventListener('input', () => {
    setThreshold(state.kind, Number(slider.value));
    edgesChanged();
  });
  strengthSlider?.addEventListener('input', () => {
    state.strength = Number(strengthSlider.value);
    setThreshold(state.kind, state.value);
    edgesChanged();
  });
  kindSelect.addEventListener('change', () => {
    setThreshold(kindSelect.value, null);
    resetSlider();
    edgesChanged();
  });
  byId('as-learned').addEventListener('click', () => {
    asLearned();
    slider.focus();
  });
  byId('colour').addEventListener('change', (event) => {
    state.colour = event.target.value;
    drawSoon();
    announce(`Colours ${event.target.selectedOptions[0].textContent}`);
  });
  if (families.length === 0) byId('colour').querySelector('[value=family]').remove();
  byId('names').append(...nodes.map((node) => element('option', { value: shorten(node.name, 200) })));
  const search = byId('search');
  search.addEventListener('input', () => search.removeAttribute('aria-invalid'));
  search.addEventListener('change', findNode); // a name picked from the list, too
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') findNode();
    if (event.key === 'Escape') clearChoice();
  });
}
