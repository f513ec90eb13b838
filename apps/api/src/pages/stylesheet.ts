import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The one stylesheet of all pages, named by its content so that browsers may keep it for good. */
export const STYLESHEET = readFileSync(join(__dirname, 'donorlens.css'), 'utf8');
export const STYLESHEET_NAME = `donorlens.${createHash('sha256').update(STYLESHEET).digest('hex').slice(0, 10)}.css`;
export const STYLESHEET_PATH = `/assets/${STYLESHEET_NAME}`;

/** The part of it that draws charts; it travels inside a chart that stands alone. */
export const CHART_STYLES = /\/\* chart \*\/([\s\S]*?)\/\* end of chart \*\//.exec(STYLESHEET)?.[1].trim() ?? '';
