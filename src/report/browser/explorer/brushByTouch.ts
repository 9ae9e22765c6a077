import type uPlot from 'uplot';

/** Lets a finger that moves sideways over a plot choose a range, as uPlot does by mouse alone; up and down still scrolls the page. */
export function brushByTouch(plot: uPlot): void {
  const { over } = plot;
  let from: number | null = null;
  const select = (left: number, width: number, isDone: boolean) =>
    plot.setSelect({ left, width, top: 0, height: width > 0 ? over.clientHeight : 0 }, isDone);
  over.style.touchAction = 'pan-y';
  over.addEventListener('pointerdown', ({ pointerType, offsetX }) => {
    from = pointerType === 'touch' ? offsetX : null;
  });
  over.addEventListener('pointermove', ({ offsetX }) => {
    if (from === null) return;
    const to = Math.min(Math.max(offsetX, 0), over.clientWidth);
    select(Math.min(from, to), Math.abs(to - from), false);
  });
  over.addEventListener('pointerup', () => {
    if (from !== null) select(plot.select.left, plot.select.width, true);
    from = null;
  });
  // The browser took the finger for one that scrolls.
  over.addEventListener('pointercancel', () => {
    if (from !== null) select(0, 0, false);
    from = null;
  });
}
