import { scriptPath } from '../pages/scripts';

/** A style that its script puts into the page, of the version that is installed; another one looks a little worse. */
const ITS_STYLE = "'sha256-r2N1TB/gHbBtBZFKg7ejmq1acVSREzucTAEw6ga4hoU='";

/** Its page as narrow as it allows: its own files, one script of ours, nothing from elsewhere. */
export const BOARD_POLICY =
  `default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' ${ITS_STYLE}; ` +
  "img-src 'self' data:; font-src 'self'; " +
  "base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

const FOREIGN_LINK = /<link[^>]+href="https?:[^>]*>/g;
const SPLASH = /<div id="root">[\s\S]*?<\/style>\s*<\/div>/;

/**
 * Bull-board's page without what it would fetch from another host and without styles of its own in the page. A script of
 * ours comes first: it sends the session's token along with whatever the page changes.
 */
export const boardPage = (html: string, csrf: string): string =>
  html
    .replace(FOREIGN_LINK, '')
    .replace(SPLASH, '<div id="root">Loading</div>')
    .replace(
      '<head>',
      `<head><meta name="csrf" content="${csrf}"><script src="${scriptPath('queue-board')}"></script>`,
    );
