import { boardPage } from './queue-board';

describe("bull-board's page", () => {
  it('loads nothing from another host, has no inline styles, and contains the CSRF token', () => {
    const html =
      '<html><head><link href="https://fonts.example/css2?family=X" rel="stylesheet">\n<link href="static/a.css"></head>' +
      '<body><div id="root">\n<div style="color:red">x</div><style>@keyframes x{}</style>\n</div><script src="a.js"></script></body></html>';
    const page = boardPage(html, 'token-1');
    expect(page).not.toMatch(/https:|style=|<style/);
    expect(page).toContain('<link href="static/a.css">');
    expect(page).toMatch(
      /<head><meta name="csrf" content="token-1"><script src="\/assets\/queue-board\.\w+\.js"><\/script>/,
    );
    expect(page).toContain('<div id="root">Loading</div><script src="a.js">');
  });
});
