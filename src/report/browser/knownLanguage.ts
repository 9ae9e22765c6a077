/**
 * The library that draws asks for the number format of `navigator.language` while it loads, and a Chromium that was started in the
 * locale C calls itself `en-US@posix`, which names no language: the page's script would fail.
 */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US' });
}
