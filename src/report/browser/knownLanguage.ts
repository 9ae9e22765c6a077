/**
 * The library that draws asks for the number format of `navigator.language` while it loads, and a Chromium that was started in the
 * locale C calls itself `en-US@posix`, which is the name of no language: the page would be without its script.
 */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US' });
}
