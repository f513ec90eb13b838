import { invalidRequest, Problem, type ProblemCode, PROBLEMS } from '../../http/problem';
import { problemPage } from '../layout/problem-page';

const page = (code: ProblemCode, retryAfter?: number): string =>
  problemPage(
    new Problem(code, 'What happened.', retryAfter ? { headers: { 'retry-after': String(retryAfter) } } : {}),
    'id-1',
  );

describe('the page of a problem', () => {
  it('asks for a missing key, reports an invalid key, and returns to the requested page', () => {
    const problem = new Problem('unauthorized', 'Send a key as a header.');
    const html = problemPage(problem, 'id-1', { prompt: { next: '/a?b="c"', isKeyInvalid: true } });
    expect(html).toContain('<form class="key" method="post" action="/session">');
    expect(html).toContain('name="next" value="/a?b=&quot;c&quot;"');
    expect(html).toContain('role="alert"');
    expect(html).not.toContain('as a header');
  });

  it('names a field like its form, and repeats the form', () => {
    const faults = (pointer: string) => [{ pointer, detail: 'must be a real date yyyy-mm-dd' }];
    const html = problemPage(invalidRequest(faults('/path/date')), 'id-1');
    expect(html).toContain('<strong>Date</strong> must be a real date');
    expect(html).toContain('action="/enrich/v1/age_gender/ask"');
    expect(html).toMatch(/name="min_age"[^>]* value="18"/);
    expect(html).not.toContain('/path/');
    expect(problemPage(invalidRequest(faults('/path/year')), 'id-1')).toContain('action="/enrich/v1/ethnicity/ask"');
    expect(problemPage(invalidRequest(faults('/query/compare')), 'id-1')).toContain('Compare with the first name');
    expect(problemPage(invalidRequest(faults('/query/q')), 'id-1')).toContain('<strong>Search text</strong> must');
    const other = problemPage(invalidRequest(faults('/query/cycle')), 'id-1');
    expect(other).toContain('<code>cycle</code> must be');
    expect(other).not.toContain('<form class="ask');
  });

  it('repeats the form with its values', () => {
    const formOf = (pointer: string, given: Record<string, string>) =>
      problemPage(invalidRequest([{ pointer, detail: 'is invalid' }]), 'id-1', { given });
    const html = formOf('/query/min_age', { name: 'Clara', date: '2020-02-29', min_age: 'x' });
    expect(html).toMatch(/name="name" value="Clara"/);
    expect(html).toMatch(/name="date" type="date" value="2020-02-29"/);
    expect(html).not.toMatch(/name="min_age"[^>]* value="18"/);
    expect(formOf('/query/date', { name: 'Clara', date: 'never' })).not.toContain('never');
    expect(formOf('/path/year', { surname: 'Garcia', year: 'x' })).toMatch(/name="surname" value="Garcia"/);
  });

  it('states when to try again', () => {
    expect(page('rate-limited', 40)).toContain('Try again in 40 seconds.');
    expect(page('quota-exceeded', 7200)).toContain('Try again in 2 hours.');
    expect(page('unavailable', 7)).toContain('<meta http-equiv="refresh" content="7"/>');
    expect(page('internal')).not.toContain('http-equiv');
  });

  it('does not reload the address of a form, but asks to send it again', () => {
    const problem = new Problem('unavailable', 'x', { headers: { 'retry-after': '7' } });
    const html = problemPage(problem, 'id-1', { isForm: true });
    expect(html).not.toContain('http-equiv');
    expect(html).toContain('Go back, and send the form again in 7 seconds.');
  });

  it('links to other pages after 404, and shows the request id after an internal error', () => {
    for (const path of ['/', '/upload', '/batches', '/data-charts/v1/about', '/docs', '/guide'])
      expect(page('not-found')).toContain(`<a href="${path}">`);
    expect(page('internal')).toContain('<code>id-1</code>');
    expect(page('not-found')).not.toContain('id-1');
  });

  it('links after 404 only to pages that the key may use', () => {
    const user = { keyName: 'charts', scopes: new Set(['charts:read']), csrf: '' };
    const html = problemPage(new Problem('not-found', 'What happened.'), 'id-1', { user });
    for (const path of ['/', '/search', '/data-charts/v1/about', '/docs', '/guide'])
      expect(html).toContain(`<a href="${path}">`);
    expect(html).not.toContain('Upload a file');
    expect(html).not.toContain('look up a first name');
  });

  const BATCH = '0b0f1c2d-0000-4000-8000-000000000001';
  it.each([
    [`/enrich/v1/batches/${BATCH}/results?detail=true`, `/enrich/v1/batches/${BATCH}?format=html`],
    [`/batches/${BATCH}/repeat`, `/enrich/v1/batches/${BATCH}?format=html`],
    [`/enrich/v1/batches/${BATCH.toUpperCase()}/results`, `/enrich/v1/batches/${BATCH.toUpperCase()}?format=html`],
    ['/batches/nothing', '/batches'],
    ['/data-charts/v1/candidate/ages?cycle=x', '/data-charts/v1/about'],
    ['/candidates/P00003392?cycle=x', '/data-charts/v1/about'],
    ['/compare?id=x', '/data-charts/v1/about'],
    ['/ops/x', '/ops'],
  ])('of %s links to %s', (path, href) => {
    const parent = (at: string, code: ProblemCode = 'invalid-request'): string | undefined =>
      /<a href="([^"]+)">[\w ]+<\/a> · <a href="\/">/.exec(
        problemPage(new Problem(code, 'What happened.'), 'id-1', { path: at }),
      )?.[1];
    expect(parent(path)).toBe(href);
    expect(parent(href)).toBeUndefined(); // the parent page itself failed
    expect(parent(path, 'missing-scope')).toBeUndefined();
    expect(parent('/opsx')).toBeUndefined();
  });

  it('works for every problem code', () => {
    for (const code of Object.keys(PROBLEMS) as ProblemCode[]) {
      expect(page(code)).toContain(`Error ${PROBLEMS[code][0]}`);
      expect(page(code)).not.toMatch(/undefined|<p><\/p>/);
    }
  });
});
