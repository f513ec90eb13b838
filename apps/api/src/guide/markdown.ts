import { Marked, type RendererObject, type Tokens } from 'marked';

export interface Rendered {
  /** Of its first heading, as text. */
  readonly title: string;
  readonly html: string;
  /** Of the second level. */
  readonly headings: readonly { readonly id: string; readonly words: string }[];
}

/** What files beside the document are here. */
export interface Surroundings {
  /** @param href without its #part */
  link(href: string): { readonly page: string } | { readonly file: string };
  /** Undefined: it is not shown. */
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

/** As GitHub makes them, so that one link works there and here. */
const anchorOf = (words: string): string =>
  words
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');

/** The second of one name is name-1. */
function anchors(): (words: string) => string {
  const seen = new Map<string, number>();
  return (words) => {
    const id = anchorOf(words);
    const before = seen.get(id) ?? 0;
    seen.set(id, before + 1);
    return before === 0 ? id : `${id}-${before}`;
  };
}

/** A document of ours as a part of a page: nothing in it runs, and its links and pictures lead to pages of this service. */
export function renderMarkdown(text: string, surroundings: Surroundings): Rendered {
  const headings: { id: string; words: string; depth: number }[] = [];
  const html = new Marked({ gfm: true, renderer: rendererFor(surroundings, headings) }).parse(text, { async: false });
  return {
    title: headings.find(({ depth }) => depth === 1)?.words ?? '',
    html,
    headings: headings.filter(({ depth }) => depth === 2).map(({ id, words }) => ({ id, words })),
  };
}

function rendererFor(
  surroundings: Surroundings,
  headings: { id: string; words: string; depth: number }[],
): RendererObject {
  const newAnchor = anchors();
  return {
    heading({ tokens, depth }: Tokens.Heading) {
      const inner = this.parser.parseInline(tokens);
      const words = plain(inner);
      const id = newAnchor(words);
      headings.push({ id, words, depth });
      return `<h${depth} id="${escaped(id)}">${inner}</h${depth}>\n`;
    },
    link({ href, tokens }: Tokens.Link) {
      const words = this.parser.parseInline(tokens);
      if (/^(https?:|#)/.test(href)) return `<a href="${escaped(href)}">${words}</a>`;
      const [path, part] = href.split('#');
      const target = surroundings.link(path);
      if ('page' in target) return `<a href="${escaped(target.page)}${part ? `#${escaped(part)}` : ''}">${words}</a>`;
      const isItsName = target.file.endsWith(plain(words));
      return isItsName ? words : `${words} (<code>${escaped(target.file)}</code> of the project)`;
    },
    image({ href, text: words }: Tokens.Image) {
      const source = surroundings.picture(href);
      return source === undefined ? '' : `<img src="${escaped(source)}" alt="${escaped(words)}">`;
    },
    table({ header, rows }: Tokens.Table) {
      const cells = (tag: 'th' | 'td', row: Tokens.TableCell[]): string =>
        row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('');
      const body = rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('\n');
      const label = escaped(`Table: ${headings.at(-1)?.words ?? ''}`);
      return (
        `<div class="scroll" role="group" aria-label="${label}" tabindex="0"><table>` +
        `<thead><tr>${cells('th', header)}</tr></thead>\n<tbody>${body}</tbody></table></div>\n`
      );
    },
    html: () => '', // comments for tools
  };
}
