import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { Marked, type RendererObject, type Tokens } from 'marked';

export interface Rendered {
  /** Text of the first heading. */
  readonly title: string;
  readonly html: string;
  /** Headings of level two. */
  readonly headings: readonly { readonly id: string; readonly text: string }[];
}

/** Resolves relative links of a document. */
interface LinkResolver {
  /** @param href - without its #part */
  link(href: string): { readonly page: string } | { readonly file: string };
  /** @returns undefined to omit the image */
  picture(href: string): string | undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => ENTITIES[letter]);
const plain = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&');

/** Anchors as on GitHub, so that links work on both. */
const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');

/** Repeated anchors get a suffix: name-1. */
function anchors(): (text: string) => string {
  const seen = new Map<string, number>();
  return (text) => {
    const id = anchorOf(text);
    const before = seen.get(id) ?? 0;
    seen.set(id, before + 1);
    return before === 0 ? id : `${id}-${before}`;
  };
}

/** A Markdown document as HTML without raw HTML or scripts; its relative links point to pages of this service. */
export function renderMarkdown(text: string, resolver: LinkResolver): Rendered {
  const headings: { id: string; text: string; depth: number }[] = [];
  const html = new Marked({ gfm: true, renderer: rendererFor(resolver, headings) }).parse(text, { async: false });
  return {
    title: headings.find(({ depth }) => depth === 1)?.text ?? '',
    html,
    headings: headings.filter(({ depth }) => depth === 2).map(({ id, text }) => ({ id, text })),
  };
}

function rendererFor(resolver: LinkResolver, headings: { id: string; text: string; depth: number }[]): RendererObject {
  const newAnchor = anchors();
  return {
    heading({ tokens, depth }: Tokens.Heading) {
      const inner = this.parser.parseInline(tokens);
      const text = plain(inner);
      const id = newAnchor(text);
      headings.push({ id, text, depth });
      return `<h${depth} id="${escaped(id)}">${inner}</h${depth}>\n`;
    },
    link({ href, tokens }: Tokens.Link) {
      const text = this.parser.parseInline(tokens);
      if (/^(https?:|#)/.test(href)) return `<a href="${escaped(href)}">${text}</a>`;
      const [path, part] = href.split('#');
      const target = resolver.link(path);
      if ('page' in target) return `<a href="${escaped(target.page)}${part ? `#${escaped(part)}` : ''}">${text}</a>`;
      const isItsName = target.file.endsWith(plain(text));
      return isItsName ? text : `${text} (<code>${escaped(target.file)}</code> of the project)`;
    },
    image({ href, text: text }: Tokens.Image) {
      const source = resolver.picture(href);
      return source === undefined ? '' : `<img src="${escaped(source)}" alt="${escaped(text)}">`;
    },
    table({ header, rows }: Tokens.Table) {
      const cells = (tag: 'th' | 'td', row: Tokens.TableCell[]): string =>
        row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('');
      const body = rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('\n');
      const label = escaped(`Table: ${headings.at(-1)?.text ?? ''}`);
      return (
        `<div class="scroll" role="group" aria-label="${label}" tabindex="0"><table>` +
        `<thead><tr>${cells('th', header)}</tr></thead>\n<tbody>${body}</tbody></table></div>\n`
      );
    },
    html: () => '', // omits HTML, such as comments for tools
  };
}

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
  find(name: string): Rendered | undefined {
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

  /** The page of a project file, or its path if it has no page. */
  private addressOf(path: string): { readonly page: string } | { readonly file: string } {
    const name = [...this.paths].find(([, one]) => one === path)?.[0];
    return name === undefined ? { file: path } : { page: guidePath(name) };
  }
}
