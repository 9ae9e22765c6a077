/** Whether a text begins with a day of the calendar, such as 2026-02-10. `Date` alone takes 2026-02-31 for the third of March. */
export function beginsWithDay(text: string): boolean {
  const day = text.slice(0, 10);
  return /^\d{4}-\d\d-\d\d$/.test(day) && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true;
}
