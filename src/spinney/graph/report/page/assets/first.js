// Before anything is drawn: that scripts run at all, and the theme the reader chose last time.
(() => {
  const root = document.documentElement;
  root.classList.add('has-script');
  try {
    const kept = localStorage.getItem('spinney-theme');
    if (kept === 'light' || kept === 'dark') root.dataset.theme = kept;
  } catch {
    // Storage may be switched off; the system's theme is used then.
  }
})();
