import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { renderMarkdown, type Rendered } from './markdown';

/** Navigation of the guide; other documents are reached by links. */
export const SECTIONS = [
  { label: 'Start', names: ['quickstart', 'glossary'] },
  { label: 'Method and data', names: ['method', 'data-dictionary'] },
  { label: 'Develop', names: ['api', 'webhooks', 'snippets', 'command-line'] },
  { label: 'Operate', names: ['runbook', 'metrics', 'scaling'] },
  { label: 'Internals', names: ['architecture', 'reliability', 'security', 'performance', 'contributing'] },
] as const;

/** Short titles for the navigation. */
const SHORT: Readonly<Record<string, string>> = {
  quickstart: 'Quickstart',
  glossary: 'Glossary',
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

/** The folder that contains docs/, above the sources or above dist. */
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

/** The Markdown documents of the project as HTML, rendered on first use. */
export class Documents {
  private readonly root = rootAbove(__dirname);
  /** Name to path, from the root of the project. */
  private readonly paths = new Map([
    ...markdownIn(this.root, 'docs/decisions'),
    ...markdownIn(this.root, 'docs/results'),
    ...markdownIn(this.root, 'docs'),
    ['snippets', 'docs/snippets/README.md'] as const,
  ]);
  private readonly cache = new Map<string, Rendered>();

  get names(): string[] {
    return [...this.paths.keys()];
  }

  /** Undefined if there is no such document. */
  of(name: string): Rendered | undefined {
    const path = this.paths.get(name);
    if (path === undefined) return undefined;
    const document = this.cache.get(name) ?? this.read(path);
    this.cache.set(name, document);
    return document;
  }

  /** An SVG file of docs/images; undefined if there is none of that name. */
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

  /** The page of a file of the project, or its path if it has no page. */
  private addressOf(path: string): { readonly page: string } | { readonly file: string } {
    const name = [...this.paths].find(([, one]) => one === path)?.[0];
    return name === undefined ? { file: path } : { page: guidePath(name) };
  }
}
