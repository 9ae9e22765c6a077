// What tests ask of a page. Expressions that the browser evaluates: its types are not those of this program.

export const openAll = `for (const details of document.querySelectorAll('details')) details.open = true;`;

export const overflow = 'document.documentElement.scrollWidth - window.innerWidth';

/** Width of the most that a matrix has outside of its card. */
export const cutOfMatrices =
  "Math.max(...[...document.querySelectorAll('.matrices>.wide')].map((one) => one.scrollWidth - one.clientWidth))";

export const background = 'getComputedStyle(document.body).backgroundColor';

/** Numbers what the keyboard must reach, in the order of the page; their number. */
export const numberTargets = `(() => {
  const seen = [...document.querySelectorAll('summary, a')].filter((one) => one.checkVisibility());
  for (const [index, one] of seen.entries()) one.dataset.place = String(index);
  return seen.length;
})()`;

/** What would stop somebody who cannot see the page, in words. */
export const accessProblems = `(() => {
  const found = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  for (const table of all('table')) {
    if (!table.querySelector('caption')?.textContent.trim()) found.push('no caption: ' + table.outerHTML.slice(0, 80));
    if (table.querySelectorAll('thead th:not([scope=col])').length > 0) found.push('a head without scope: ' + table.outerHTML.slice(0, 80));
  }
  for (const svg of all('svg')) {
    const told = svg.getAttribute(svg.getAttribute('role') === 'img' ? 'aria-label' : 'aria-hidden');
    if (!told) found.push('a drawing without words: ' + svg.outerHTML.slice(0, 80));
  }
  for (const region of all('[role=region]')) {
    if (!region.getAttribute('aria-label') || region.tabIndex !== 0) found.push('a region without name or focus: ' + region.outerHTML.slice(0, 80));
  }
  let level = 0;
  for (const heading of all('h1,h2,h3,h4')) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) found.push('a heading skips a level: ' + heading.textContent);
    level = own;
  }
  if (all('h1').length !== 1 || all('main').length !== 1 || all('nav[aria-label]').length !== 1) found.push('landmarks');
  return found;
})()`;

/** Texts whose contrast with the nearest painted background is below 4.5 (3 where they are large). */
export const faintTexts = `(() => {
  const parse = (text) => {
    const numbers = (text.match(/[\\d.]+/g) ?? []).map(Number);
    return [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0, numbers[3] ?? 1];
  };
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let up = element; up; up = up.parentElement) {
      const colour = parse(getComputedStyle(up).backgroundColor);
      if (colour[3] === 1) return colour;
    }
    return [255, 255, 255, 1];
  };
  const found = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.checkVisibility() || element.closest('.vh, script')) continue;
    const style = getComputedStyle(element);
    const ink = parse(element instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(ink), light(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) {
      found.add(contrast.toFixed(2) + ' ' + element.tagName + ' ' + element.textContent.slice(0, 40));
    }
  }
  return [...found].slice(0, 20);
})()`;
