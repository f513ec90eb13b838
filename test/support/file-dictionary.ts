import { CONTRIBUTION_COLUMNS } from '@donorlens/primitives';
import { type Columns } from '../../apps/api/src/charts/columns/column';
import { FILE_GUIDES } from '../../apps/api/src/charts/file-guide';

const ADDED: readonly string[] = CONTRIBUTION_COLUMNS;
const ADDED_ITEM = `- \`${ADDED[0]}\` … \`${ADDED.at(-1)}\`: the ${ADDED.length} [added columns](#added-columns-of-a-contribution)`;

/** The columns of one file, grouped by source. Columns that an earlier file has described are listed by name only. */
function list(columns: Columns, described: Map<string, string>): string {
  const hasAdded = ADDED.every((name) => name in columns);
  const items: string[] = [];
  let repeated: string[] = [];
  let sourceAbove = '';
  const endRepeated = (): void => {
    if (repeated.length > 0) items.push(`- ${repeated.map((name) => `\`${name}\``).join(', ')}`);
    repeated = [];
  };
  for (const [name, { meaning, unit, source }] of Object.entries(columns)) {
    const text = unit ? `${meaning}; ${unit}` : meaning;
    const isAdded = hasAdded && ADDED.includes(name);
    if (!isAdded && described.get(name) === text + source) {
      repeated.push(name);
      continue;
    }
    endRepeated();
    if (!isAdded) {
      if (source !== sourceAbove) items.push(`${items.length > 0 ? '\n' : ''}From ${source}:\n`);
      items.push(`- \`${name}\`: ${text}`);
      described.set(name, text + source);
    } else if (name === ADDED[0]) items.push(ADDED_ITEM);
    sourceAbove = isAdded ? '' : source;
  }
  endRepeated();
  return items.join('\n');
}

/** The columns of all files of the data and charts group, in the form of docs/data-dictionary.md. */
export function fileDictionary(): string {
  const described = new Map<string, string>();
  return FILE_GUIDES.map(
    ({ path, columns }) => `### \`/data-charts/v1/${path}\`\n\n${list(columns, described)}\n`,
  ).join('\n');
}
