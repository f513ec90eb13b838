import { gzipSync } from 'node:zlib';
import { Documents, SECTIONS, guidePath, renderMarkdown } from './documents';
import { renderGuidePage } from './guide.controller';

const rendered = (text: string) =>
  renderMarkdown(text, {
    link: (href) => (href.endsWith('.md') ? { page: `/guide/${href.slice(0, -3)}` } : { file: `deploy/${href}` }),
    picture: (href) => (href.endsWith('.svg') ? `/guide/images/${href}` : undefined),
  });

describe('a document as a page', () => {
  it('has heading ids like GitHub, with a number for repeated names', () => {
    const { title, html, headings } = rendered('# All & `sundry`\n\n## Row codes: `a_b` (é)\n\n## Keys\n\n### Keys\n');
    expect(title).toBe('All & sundry');
    expect(headings).toEqual([
      { id: 'row-codes-a_b-é', text: 'Row codes: a_b (é)' },
      { id: 'keys', text: 'Keys' },
    ]);
    expect(html).toContain('<h3 id="keys-1">');
  });

  it('links to the pages of other documents, and shows the paths of other files', () => {
    expect(rendered('[b](method.md#how-much), [c](#d), [e](https://example.org/?f=1&g)').html).toBe(
      '<p><a href="/guide/method#how-much">b</a>, <a href="#d">c</a>, <a href="https://example.org/?f=1&amp;g">e</a></p>\n',
    );
    expect(rendered('[the rules](rules.yml), [`deploy/rules.yml`](rules.yml)').html).toBe(
      '<p>the rules (<code>deploy/rules.yml</code> of the project), <code>deploy/rules.yml</code></p>\n',
    );
  });

  it('shows SVG images, and omits other images, comments and scripts', () => {
    expect(rendered('![a "way"](way.svg) ![b](b.png)\n\n<!-- columns -->\n\n<script>alert(1)</script>\n').html).toBe(
      '<p><img src="/guide/images/way.svg" alt="a &quot;way&quot;"> </p>\n',
    );
    expect(rendered('`<b>` & <i>x</i>').html).toBe('<p><code>&lt;b&gt;</code> &amp; x</p>\n');
  });

  it('has tables that can be scrolled by keyboard', () => {
    const { html } = rendered('## Scopes\n\n| a | b |\n|---|---|\n| `c` | d |\n');
    expect(html).toContain('<div class="scroll" role="group" aria-label="Table: Scopes" tabindex="0"><table>');
    expect(html).toContain('<tr><td><code>c</code></td><td>d</td></tr>');
  });
});

describe('the guide', () => {
  const documents = new Documents();
  const pages = new Map(documents.names.map((name) => [name, documents.find(name)]));
  const idsOf = (name: string): string[] =>
    [...(pages.get(name)?.html ?? '').matchAll(/<h\d id="([^"]+)"/g)].map(([, id]) => id);

  it('has every document of its navigation, each with a title', () => {
    for (const name of SECTIONS.flatMap(({ names }): readonly string[] => names))
      expect([name, pages.get(name)?.title]).toEqual([name, expect.stringMatching(/\w/)]);
    expect(documents.find('../package')).toBeUndefined();
    expect(documents.picture('../../package.json')).toBeUndefined();
    expect(documents.picture('age-dark.png')).toBeUndefined();
  });

  it('links only to existing pages, headings and images', () => {
    let links = 0;
    for (const [name, page] of pages)
      for (const [, path, heading] of (page?.html ?? '').matchAll(/(?:href|src)="(?!https?:)([^"#]*)(?:#([^"]+))?"/g)) {
        const to = path === '' ? name : path.replace(guidePath(''), '');
        const isThere = path.startsWith('/guide/images/')
          ? documents.picture(to.replace('images/', '')) !== undefined
          : pages.has(to) && (heading === undefined || idsOf(to).includes(heading));
        expect([name, path, heading, isThere]).toEqual([name, path, heading, true]);
        links++;
      }
    expect(links).toBeGreaterThan(30);
  });

  it('has small pages, including the longest document', () => {
    for (const [name, document] of pages)
      if (document)
        expect([name, gzipSync(renderGuidePage({ name, document, user: null })).length < 24_000]).toEqual([name, true]);
  });
});
