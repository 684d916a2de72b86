(() => {
'use strict';
document.documentElement.classList.add('has-script');
const table = document.getElementById('differences');
if (!table) return;
const heads = [...table.tHead.rows[0].cells];
const said = document.getElementById('announce');
const value = (row, k) => row.cells[k].dataset.value;
function sort(k, numeric) {
  const before = heads[k].getAttribute('aria-sort');
  const rising = before === null ? !numeric : before === 'descending';
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => {
    const x = value(a, k), y = value(b, k);
    if (x === '' || y === '') return (x === '') - (y === '');
    const order = numeric ? x - y : x.localeCompare(y);
    return rising ? order : -order;
  });
  table.tBodies[0].append(...rows);
  heads.forEach(head => head.removeAttribute('aria-sort'));
  heads[k].setAttribute('aria-sort', rising ? 'ascending' : 'descending');
  said.textContent = `Sorted by ${heads[k].textContent.trim()}, ${rising ? 'rising' : 'falling'}.`;
}
heads.forEach((head, k) => {
  head.querySelector('button')?.addEventListener('click', () => sort(k, head.classList.contains('number')));
});
})();
