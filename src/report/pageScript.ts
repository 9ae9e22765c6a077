/**
 * The script of the page, whole. The page says everything without it; it opens what a link leads into, tells the value under
 * the pointer from the plot's own table, opens explanations for print, and, where the page is served, asks for a newer version.
 */
export const pageScript = `'use strict';
(() => {
const openTarget = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let up = target; up; up = up.parentElement) if (up.tagName === 'DETAILS') up.open = true;
  target.scrollIntoView({ block: 'start' });
};
addEventListener('hashchange', openTarget);
document.addEventListener('click', (event) => {
  const link = event.target.closest && event.target.closest('a[href^="#"]');
  if (link && link.hash === location.hash) openTarget();
});
if (location.hash.length > 1) openTarget();

for (const figure of document.querySelectorAll('.plots figure')) {
  const svg = figure.querySelector('svg[role]');
  const from = Number(svg.dataset.from);
  const to = Number(svg.dataset.to);
  let rows, readout, cross;
  const prepare = () => {
    rows = [...figure.querySelectorAll('tbody tr')].map((row) => {
      const cells = [...row.children].map((cell) => cell.textContent.trim());
      const time = Date.parse(cells[0].length === 16 ? cells[0].replace(' ', 'T') + 'Z' : cells[0]);
      return { time, cells };
    });
    readout = document.createElement('p');
    readout.className = 'readout';
    svg.after(readout);
    cross = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    cross.setAttribute('class', 'cross');
    svg.append(cross);
  };
  svg.addEventListener('pointermove', (event) => {
    if (!rows) prepare();
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 400;
    const time = to === from ? from : from + ((x - 46) / 350) * (to - from);
    let best = rows[0];
    for (const row of rows) if (Math.abs(row.time - time) < Math.abs(best.time - time)) best = row;
    if (!best) return;
    const at = to === from ? 221 : 46 + ((best.time - from) / (to - from)) * 350;
    cross.setAttribute('d', 'M' + at.toFixed(1) + ' 10V112');
    const [bucket, own, served, verdict] = best.cells;
    readout.textContent = bucket + ': own ' + own + ', served ' + (served === '=' ? 'the same' : served) + ', ' + verdict;
  });
  svg.addEventListener('pointerleave', () => { if (cross) cross.removeAttribute('d'); });
}

const opened = [];
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('.x:not([open])')) { details.open = true; opened.push(details); }
});
addEventListener('afterprint', () => { for (const details of opened.splice(0)) details.open = false; });

const own = document.body.dataset.live;
if (own) {
  const timer = setInterval(async () => {
    try {
      const answer = await fetch('/report.json', { method: 'HEAD', cache: 'no-store' });
      const newest = answer.headers.get('etag');
      if (!newest || newest === own) return;
      clearInterval(timer);
      const note = document.createElement('p');
      note.className = 'live';
      note.setAttribute('role', 'status');
      const link = document.createElement('a');
      link.href = location.pathname;
      link.textContent = 'A newer version is there: show it';
      note.append(link);
      document.body.append(note);
    } catch {}
  }, 15000);
}
})();
`;
