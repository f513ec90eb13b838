import { type Columns } from '../../apps/api/src/data-charts/columns/column';
import { FILE_GUIDES } from '../../apps/api/src/data-charts/file-guide';

const table = (columns: Columns): string =>
  [
    '| column | what it is | unit, values | source |',
    '|---|---|---|---|',
    ...Object.entries(columns).map(
      ([name, { meaning, unit = '', source }]) => `| \`${name}\` | ${meaning} | ${unit} | ${source} |`,
    ),
  ].join('\n');

/** The columns of all files of the data and charts group, as docs/data-dictionary.md has them. */
export const fileDictionary = (): string =>
  FILE_GUIDES.map(({ path, columns }) => `### \`/data-charts/v1/${path}\`\n\n${table(columns)}\n`).join('\n');
