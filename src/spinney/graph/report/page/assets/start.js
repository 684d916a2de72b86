// Start: words and tables at once, figures as soon as plotly is unpacked.

async function unpackPlotly() {
  const packed = byId('plotly-packed');
  const bytes = bytesOf(packed.textContent);
  packed.remove();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const script = document.createElement('script');
  script.textContent = await new Response(stream).text();
  document.head.append(script);
  script.remove();
  if (!window.Plotly) throw new Error('plotly did not start');
}

function startCopying() {
  document.querySelectorAll('.copies').forEach((button) => {
    button.addEventListener('click', async () => {
      const source = byId(button.dataset.copies);
      try {
        await navigator.clipboard.writeText(source.textContent);
        announce('Copied');
        button.textContent = 'Copied';
        setTimeout(() => { button.textContent = 'Copy'; }, 1600);
      } catch {
        // Not allowed here: the text is selected instead, ready for Ctrl+C.
        window.getSelection().selectAllChildren(source);
      }
    });
  });
}

function startStrengths() {
  byId('strengths-plot')?.addEventListener('click', (event) => {
    const line = event.target.closest('[data-pair]');
    if (line) choosePair(pairOf(...line.dataset.pair.split('-').map(Number)), byId('strengths-plot'));
  });
}

async function start() {
  startTheme();
  startControls();
  startTable();
  startCopying();
  startStrengths();
  showPanel();
  try {
    await unpackPlotly();
  } catch (problem) {
    byId('no-figures').hidden = false;
    document.documentElement.classList.add('no-figures');
    return;
  }
  await drawGraph();
  redrawn.push(drawGraph, drawChosenPair);
  startDragging();
  startZooming();
  startPicture();
  startPrinting();
  startHeat();
  root.dataset.ready = 'yes';
}

start();
