/**
 * Labels every cell with its column (`data-label`), so that a narrow screen can show each row as a list, and keeps the table's
 * roles for screen readers: a browser drops them where rows are not laid out as rows.
 */
export function stackTables(within: ParentNode): void {
  for (const table of within.querySelectorAll('table:not(.matrix):not([role])')) {
    const names = [...table.querySelectorAll('thead th')].map((head) => head.textContent?.trim() ?? '');
    if (names.length === 0) continue;
    table.classList.add('stack');
    table.setAttribute('role', 'table');
    for (const part of table.querySelectorAll('thead,tbody')) part.setAttribute('role', 'rowgroup');
    for (const row of table.querySelectorAll('tr')) row.setAttribute('role', 'row');
    for (const head of table.querySelectorAll('thead th')) head.setAttribute('role', 'columnheader');
    for (const row of table.querySelectorAll('tbody tr')) {
      for (const [index, cell] of [...row.children].entries()) {
        cell.setAttribute('role', cell.tagName === 'TH' ? 'rowheader' : 'cell');
        cell.setAttribute('data-label', names[index] ?? '');
      }
    }
  }
}
