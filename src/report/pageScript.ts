import { builtText } from './builtFile.ts';

/** The script of the page, whole: what is in `browser/`, bundled. The page says what matters without it, but draws nothing. */
export const pageScript = (): string => builtText('page.js').replaceAll('</script', '<\\/script');
