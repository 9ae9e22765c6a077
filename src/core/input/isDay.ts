/** Whether a text is a day of the calendar, such as 2026-02-10. `Date` alone takes 2026-02-31 for the third of March. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;
