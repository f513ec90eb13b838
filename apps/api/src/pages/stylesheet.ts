import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const STYLES = join(__dirname, 'styles');

const read = (...path: string[]): string => readFileSync(join(__dirname, ...path), 'utf8');

/** What all pages share, then what single ones add: one file, named by its content so that browsers may keep it for good. */
export const STYLESHEET = [
  read('donorlens.css'),
  ...readdirSync(STYLES)
    .filter((file) => file.endsWith('.css'))
    .sort()
    .map((file) => read('styles', file)),
].join('\n');
export const STYLESHEET_NAME = `donorlens.${createHash('sha256').update(STYLESHEET).digest('hex').slice(0, 10)}.css`;
export const STYLESHEET_PATH = `/assets/${STYLESHEET_NAME}`;

/** The parts of it that draw charts; they travel inside a chart that stands alone. */
export const CHART_STYLES = [...STYLESHEET.matchAll(/\/\* chart \*\/([\s\S]*?)\/\* end of chart \*\//g)]
  .map(([, part]) => part.trim())
  .join('\n');
