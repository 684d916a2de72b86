// On paper: light colours, figures as wide as the page, everything unfolded.

function startPrinting() {
  let before = null;
  const redraw = () => {
    colourCache = null;
    sizeChanged();
    redrawn.forEach((draw) => draw());
  };
  window.addEventListener('beforeprint', () => {
    if (before !== null) return;
    before = { theme: root.dataset.theme, opened: [...document.querySelectorAll('details:not([open])')] };
    root.dataset.theme = 'light';
    before.opened.forEach((part) => { part.open = true; });
    view.printing = true;
    redraw();
  });
  window.addEventListener('afterprint', () => {
    if (before === null) return;
    if (before.theme) root.dataset.theme = before.theme;
    else delete root.dataset.theme;
    before.opened.forEach((part) => { part.open = false; });
    before = null;
    view.printing = false;
    redraw();
  });
  byId('print-page').addEventListener('click', () => window.print());
}
