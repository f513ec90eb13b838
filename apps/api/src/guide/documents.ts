import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { renderMarkdown, type Rendered } from './markdown';

/** What a person comes for, in the order of coming; all else in docs is found by links. */
export const SHELVES = [
  { words: 'Begin', names: ['quickstart'] },
  { words: 'Read before you publish', names: ['method', 'data-dictionary'] },
  { words: 'Program', names: ['api', 'webhooks', 'snippets', 'command-line'] },
  { words: 'Run', names: ['runbook', 'metrics', 'scaling'] },
  { words: 'Look inside', names: ['architecture', 'reliability', 'security', 'performance', 'contributing'] },
] as const;

/** On shelves, where a title says too much. */
const SHORT: Readonly<Record<string, string>> = {
  quickstart: 'Quickstart',
  method: 'Method',
  'data-dictionary': 'Data dictionary',
  api: 'API guide',
  webhooks: 'Webhooks',
  snippets: 'Snippets',
  'command-line': 'Command line',
  runbook: 'Runbook',
  metrics: 'Metrics',
  scaling: 'Scaling',
  architecture: 'Architecture',
  reliability: 'Reliability',
  security: 'Security',
  performance: 'Performance',
  contributing: 'Contributing',
};

export const shortTitle = (name: string): string => SHORT[name] ?? name;
export const guidePath = (name: string): string => `/guide/${name}`;

/** The folder that holds docs: above the sources, above dist, and in the image. */
function rootAbove(folder: string): string {
  if (existsSync(join(folder, 'docs', 'quickstart.md'))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error('docs/ is missing: it belongs beside dist/');
  return rootAbove(above);
}

const markdownIn = (root: string, folder: string): [name: string, path: string][] =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => [file.slice(0, -'.md'.length), `${folder}/${file}`]);

/** The documents of the project as pages. Read when somebody first asks: a process that nobody asks holds none of them. */
export class Documents {
  private readonly root = rootAbove(__dirname);
  /** Name to path, from the root of the project. */
  private readonly paths = new Map([
    ...markdownIn(this.root, 'docs/decisions'),
    ...markdownIn(this.root, 'docs'),
    ['snippets', 'docs/snippets/README.md'] as const,
  ]);
  private readonly kept = new Map<string, Rendered>();

  get names(): string[] {
    return [...this.paths.keys()];
  }

  /** Undefined where there is no such document. */
  of(name: string): Rendered | undefined {
    const path = this.paths.get(name);
    if (path === undefined) return undefined;
    const document = this.kept.get(name) ?? this.read(path);
    this.kept.set(name, document);
    return document;
  }

  /** A drawing of docs/images; undefined where there is none of that name. */
  picture(file: string): string | undefined {
    const folder = join(this.root, 'docs', 'images');
    const isThere = file.endsWith('.svg') && readdirSync(folder).includes(file);
    return isThere ? readFileSync(join(folder, file), 'utf8') : undefined;
  }

  private read(path: string): Rendered {
    return renderMarkdown(readFileSync(join(this.root, path), 'utf8'), {
      link: (href) => this.addressOf(posix.join(dirname(path), href)),
      picture: (href) => (href.endsWith('.svg') ? `/guide/images/${posix.basename(href)}` : undefined),
    });
  }

  /** Where a file of the project is a page, and what it is called where it is none. */
  private addressOf(path: string): { readonly page: string } | { readonly file: string } {
    const name = [...this.paths].find(([, one]) => one === path)?.[0];
    return name === undefined ? { file: path } : { page: guidePath(name) };
  }
}
