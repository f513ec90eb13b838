import { PG_POOL } from '@donorlens/database';
import { ITCONT_COLUMNS } from '@donorlens/tabular';
import { type Pool } from 'pg';
import { type RunningApi, runningApi } from '../../../../../test/support/service/running-api';

const OPENFEC =
  'committee_id,contributor_name,contributor_first_name,contributor_last_name,contributor_street_1,contributor_city,' +
  'contributor_state,contributor_zip,entity_type,contribution_receipt_date\n' +
  'C00000001,"GARCIA, MARY",MARY,GARCIA,1 Made Up St,Samplebury,CT,06100,IND,2016-10-31 00:00:00\n';
const PLAIN = 'first_name,date\nMary,2016-10-31\nJohn,2016-10-31\n';
const NAVIGATION = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-mode': 'navigate' };

describe('uploading a file from a browser', () => {
  let api: RunningApi;
  let cookie: string;
  let page: string;
  beforeAll(async () => {
    api = await runningApi();
    cookie = await signIn(api.key);
    page = await (await get('/upload')).text();
  });
  afterAll(() => api.close());

  const signIn = async (key: string): Promise<string> => {
    const answer = await fetch(`${api.url}/session`, {
      method: 'POST',
      body: new URLSearchParams({ key }),
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  };
  const get = (path: string, as = cookie): Promise<Response> =>
    fetch(api.url + path, { headers: { cookie: as, ...NAVIGATION } });
  /** The action URL of a form on a page, with the CSRF token. */
  const actionOf = (html: string, path: string): string =>
    new RegExp(`action="(${path}\\?csrf=[^"]+)"`).exec(html)?.[1] ?? `no form for ${path}`;
  /** Sends the form like a browser: fields in their order, then the file. */
  const send = (
    path: string,
    file: string | Uint8Array,
    fields: Record<string, string> = {},
    headers = NAVIGATION,
    name = 'donors.csv',
  ) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ type: 'contributions', format: '', min_age: '', ...fields }))
      form.append(name, value);
    form.append('file', new Blob([file as BlobPart]), name);
    const sent = { cookie, 'sec-fetch-site': 'same-origin', ...headers };
    return fetch(api.url + path, { method: 'POST', body: form, redirect: 'manual', headers: sent });
  };
  const preview = (file: string | Uint8Array, fields?: Record<string, string>) =>
    send(actionOf(page, '/upload/preview'), file, fields);
  const start = (
    file: string | Uint8Array,
    fields?: Record<string, string>,
    headers?: typeof NAVIGATION,
    name?: string,
  ) => send(actionOf(page, '/upload/start'), file, fields, headers, name);
  const batches = async (): Promise<number> => {
    const { rows } = await api.app.get<Pool>(PG_POOL).query<{ n: number }>('select count(*)::int as n from batch');
    return rows[0].n;
  };
  const text = (html: string): string => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

  it('asks for a key first, and then returns to the page', async () => {
    const answer = await get('/upload', '');
    expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining('value="/upload"')]);
  });

  it('detects an openFEC export, previews its results, and stores nothing', async () => {
    const before = await batches();
    const answer = await preview(OPENFEC);
    const html = await answer.text();
    expect(answer.status).toBe(200);
    expect(text(html)).toMatch(/Detected an openFEC export.* comma .* UTF-8 .* MARY GARCIA .* female Hispanic/);
    expect(html).not.toContain('class="warnings"');
    expect(html).toMatch(
      /<option selected value="contribution_receipt_date">|value="contribution_receipt_date" selected/,
    );
    expect(await batches()).toBe(before);
  });

  it('detects the headerless file of the FEC by its first line', async () => {
    const fields: Record<string, string> = { CMTE_ID: 'C00000001', NAME: 'GARCIA, MARY', TRANSACTION_DT: '10312016' };
    const line = ITCONT_COLUMNS.map((column) => fields[column] ?? '').join('|');
    const html = await (await preview(`${line}\n${line}\n`)).text();
    expect(text(html)).toMatch(/Detected the FEC’s itcont\.txt.* GARCIA, MARY .* female/);
    const { status, headers } = await start(`${line}\n${line}\n`);
    const location = headers.get('location') ?? '';
    expect([status, text(await (await get(location)).text())]).toEqual([303, expect.stringMatching(/ of 2 rows,/)]);
  });

  it('processes the previewed file with the chosen mapping', async () => {
    const file = 'GIVEN,when,first_name\nMary,2016-10-31,x\n';
    const chosen = { type: 'age_gender', 'map.first_name': 'GIVEN', 'map.date': 'when', 'map.contributor_name': '' };
    expect(text(await (await preview(file, chosen)).text())).toMatch(/ Name known Mary 2016-10-31 \d+ female/);
    const answer = await start(file, chosen);
    expect(answer.status).toBe(303);
    await api.work();
    const location = (answer.headers.get('location') ?? '').replace('?format=html', '/results?format=csv');
    expect(await (await get(location)).text()).toMatch(/^Mary,2016-10-31,x,\d+,F?f/m);
  });

  it('previews and processes a file with the chosen bases, and keeps the choices', async () => {
    const file = 'first_name,surname,date,state,zip\nMary,Smith,2016-10-31,CT,06150\n';
    const shown = async (fields = {}) => text(await (await preview(file, fields)).text());
    const byPlace = { ethnicity_basis: 'place', age_basis: 'group' };
    expect(await shown(byPlace)).not.toBe(await shown());
    const kept = await (await preview(file, byPlace)).text();
    for (const value of ['place', 'group'])
      expect(kept).toMatch(new RegExp(`<option (selected value="${value}"|value="${value}" selected)`));
    expect(await shown({ age_basis: 'donors' })).toContain('No ages of donors are stored');
    const answer = await start(file, byPlace);
    await api.work();
    const location = (answer.headers.get('location') ?? '').replace('?format=html', '/results?format=csv&partial=true');
    expect(await (await get(location)).text()).toMatch(/ETHNICITY_BASIS,SURNAME_LISTED.*\n.*zcta,true/);
  });

  it('allows a detected column to stay unmapped', async () => {
    const file = 'first_name,contributor_name,date,Notes…\nx,"GARCIA, MARY",2016-10-31,\n';
    const html = await (await preview(file, { type: 'age_gender', 'map.first_name': '' })).text();
    expect(text(html)).toMatch(/Unused columns: first_name, Notes… The results .* GARCIA, MARY 2016-10-31 \d+ female/);
  });

  it('shows the columns of an unknown file, so that the user can map them', async () => {
    const html = await (await preview('Vorname;Wann\nMary;2016-10-31\n', { type: 'age_gender' })).text();
    expect(text(html)).toMatch(/Choose the first name or full name column\./);
    expect(html.match(/<option value="Wann">/g)?.length).toBeGreaterThan(1);
    expect(text(html)).toContain('Row Vorname Unused Wann Unused 1 Mary 2016-10-31');
  });

  it('warns about rows without a result and data that may be misread', async () => {
    const latin1 = Buffer.from(
      'first_name,surname,date,n,n\nJosé,Garcia,soon,1,2\nMary,Garcia,2016-10-31,a "b",\n',
      'latin1',
    );
    expect(text(await (await preview(latin1)).text())).toMatch(
      /no county.* read as windows-1252\. .* called “n”\. .* a misplaced quote.* In 1 of the first 2 rows: invalid date/,
    );
  });

  it.each([
    ['an empty file', '', /empty.* Choose a file/],
    ['a damaged workbook', 'PK\u0003\u0004', /damaged or incomplete; save it again/],
    ['an old workbook', Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0), /old \(\.xls\) workbook.* save it as \.xlsx or CSV/],
    [
      'a document',
      '%PDF-',
      /The file cannot be read\. The file is a picture or a document; send its table as CSV\. Choose f/,
    ],
    ['a file of no rows', 'first_name,date\n', /nothing below it\. Choose a file with rows/],
    ['an unclosed quote', 'first_name,date\n"Mary,2016\n', /line 2 is never closed\. Close that quote/],
  ])('gives advice about %s, and keeps the form', async (_what, file, words) => {
    for (const sent of [preview, start]) {
      const answer = await sent(file, { type: 'age_gender', min_age: '18' });
      const html = await answer.text();
      expect([answer.status, text(html)]).toEqual([400, expect.stringMatching(words)]);
      expect(html).toMatch(/<input name="min_age"[^>]* value="18"/);
      expect(html).toMatch(/value="age_gender" checked|checked value="age_gender"/);
    }
  });

  it('sends the same advice to a script in a problem document', async () => {
    const answer = await send(
      actionOf(page, '/upload/start'),
      'first_name,date\n',
      {},
      { accept: '*/*', 'sec-fetch-mode': 'cors' },
    );
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({
        title: 'The file has no rows',
        reason: 'no_rows',
        advice: 'Choose a file with rows below the header.',
      }),
    ]);
  });

  it('creates one batch from a form that is sent twice, and returns its URL to the script', async () => {
    const before = await batches();
    const once = { type: 'age_gender', token: '0123456789abcdef' };
    const script = { accept: 'application/json', 'sec-fetch-mode': 'cors' };
    const answers = await Promise.all([start(PLAIN, once, script), start(PLAIN, once, script)]);
    const bodies = await Promise.all(answers.map(async (answer) => [answer.status, await answer.json()]));
    expect(bodies[0]).toEqual([202, { location: expect.stringMatching(/^\/enrich\/v1\/batches\/.*format=html$/) }]);
    expect(bodies[1]).toEqual(bodies[0]);
    expect(await batches()).toBe(before + 1);
    const other = await start(`${PLAIN}Ann,2016-10-31\n`, once);
    expect([other.status, text(await other.text())]).toEqual([422, expect.stringContaining('Send it again')]);
  });

  it('rejects a form without the token of this session, or from another site', async () => {
    for (const path of ['/upload/preview', '/upload/start?csrf=x']) {
      const { status } = await send(path, PLAIN);
      expect(status).toBe(403);
    }
    const own = actionOf(page, '/upload/start');
    expect((await send(own, PLAIN, {}, { ...NAVIGATION, 'sec-fetch-site': 'cross-site' } as never)).status).toBe(403);
  });

  describe('its batches', () => {
    const begun = async (): Promise<string> => {
      const { headers } = await start(PLAIN, { type: 'age_gender' });
      return headers.get('location')?.match(/batches\/([^?]+)/)?.[1] ?? '';
    };
    const post = (path: string): Promise<Response> =>
      fetch(api.url + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, 'sec-fetch-site': 'same-origin', ...NAVIGATION },
      });

    it('are listed by page, newest first, and only for their own key', async () => {
      const newest = await begun();
      const html = await (await get('/batches')).text();
      expect(/\/enrich\/v1\/batches\/([^?]+)\?format=html/.exec(html)?.[1]).toBe(newest);
      expect(await (await get('/batches', await signIn(await api.issue()))).text()).toContain('No batches yet.');
      for (let n = 0; n < 20; n++) await begun();
      const [, older] = /href="(\/batches\?after=[^"]+)"/.exec(await (await get('/batches')).text()) ?? [];
      expect(await (await get(older)).text()).toContain(newest);
    });

    it('are shown with the name of their file', async () => {
      const { headers } = await start(PLAIN, { type: 'age_gender' }, NAVIGATION, '\u202eSpender \u00e4rmer.csv');
      for (const path of ['/batches', headers.get('location') ?? ''])
        expect(await (await get(path)).text()).toMatch(/<bdi[^>]*> ?Spender ärmer\.csv<\/bdi>/);
    });

    it('are found by file name and state, in either order', async () => {
      const { headers } = await start(PLAIN, { type: 'age_gender', min_age: '21' }, NAVIGATION, 'A%b_2016.csv');
      const id = headers.get('location')?.match(/batches\/([^?]+)/)?.[1];
      const idsOf = async (query: string): Promise<string[]> =>
        [...(await (await get(`/batches?${query}`)).text()).matchAll(/<li id="batch-([^"]+)"/g)].map(([, one]) => one);
      expect(await idsOf('name_part=a%25B_&state=open')).toEqual([id]);
      expect(await idsOf('name_part=a_b')).toEqual([]); // `_` is no wildcard
      expect(await idsOf('state=completed')).not.toContain(id);
      const [newest, oldest] = [await idsOf('name_part=&state='), await idsOf('sort=oldest')];
      expect(newest[0]).toBe(id);
      expect(oldest).not.toContain(id);
      const html = await (await get('/batches?sort=oldest')).text();
      expect(html).toMatch(/href="\/batches\?sort=oldest&amp;after=[^"]+" rel="next">Newer/);
      expect(await (await get('/batches?name_part=nosuch')).text()).toContain('No batch matches.');
      expect((await get('/batches?state=x')).status).toBe(400);
    });

    it('are repeated with other options from their stored rows, once for a form that is sent twice', async () => {
      const id = await begun();
      expect(await (await get('/batches')).text()).not.toContain(`/batches/${id}/repeat`);
      expect((await get(`/batches/${id}/repeat`)).url).toContain(`/enrich/v1/batches/${id}?format=html`);
      await api.work();
      expect(await (await get('/batches')).text()).toContain(`href="/batches/${id}/repeat"`);
      expect(await (await get(`/enrich/v1/batches/${id}?format=html`)).text()).toContain(`/batches/${id}/repeat`);
      const html = await (await get(`/batches/${id}/repeat`)).text();
      expect(html).toMatch(/value="age_gender" checked/);
      expect(html).toMatch(/name="map\.date"[^>]*>.*?<option value="[^"]+" selected/s);
      const send = (fields: Record<string, string>): Promise<Response> =>
        fetch(api.url + actionOf(html, `/batches/${id}/repeat`), {
          method: 'POST',
          body: new URLSearchParams(fields),
          redirect: 'manual',
          headers: { cookie, 'sec-fetch-site': 'same-origin', ...NAVIGATION },
        });
      const fields = { type: 'age_gender', min_age: '21', token: 'form-token-1' };
      const locations = (await Promise.all([send(fields), send(fields)])).map((answer) =>
        answer.headers.get('location'),
      );
      expect(locations[0]).toMatch(/^\/enrich\/v1\/batches\/.*format=html$/);
      expect(locations[1]).toBe(locations[0]);
      const refused = await send({ ...fields, token: 'form-token-2', min_age: '300' });
      expect([refused.status, text(await refused.text())]).toEqual([
        400,
        expect.stringContaining('Minimum age must be a whole number'),
      ]);
      const unmapped = text(await (await send({ ...fields, token: 'form-token-3', 'map.date': '' })).text());
      expect(unmapped).toContain('A required column is not chosen. Choose the date column.');
      expect(unmapped).not.toContain('Preview');
      expect((await post(`/batches/${id}/repeat`)).status).toBe(403);
    });

    it('are cancelled from their page', async () => {
      const id = await begun();
      const html = await (await get(`/enrich/v1/batches/${id}?format=html`)).text();
      expect((await post(`/batches/${id}/cancel`)).status).toBe(403);
      const answer = await post(actionOf(html, `/batches/${id}/cancel`));
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `/enrich/v1/batches/${id}?format=html`]);
      expect(text(await (await get(answer.headers.get('location') ?? '')).text())).toContain(
        'Cancelled after 0 of 2 rows',
      );
    });

    it('are deleted after a confirmation', async () => {
      const id = await begun();
      const html = await (await get(`/batches/${id}/delete`)).text();
      expect(text(html)).toContain('Delete this batch of 2 rows?');
      const { status } = await post(actionOf(html, `/batches/${id}/delete`));
      expect(status).toBe(303);
      expect((await get(`/enrich/v1/batches/${id}?format=html`)).status).toBe(404);
    });

    it('show their first invalid rows with advice', async () => {
      const { headers } = await start('first_name,date\nMary,never\nMary,2016-10-31\n', { type: 'age_gender' });
      await api.work();
      const html = await (await get(headers.get('location') ?? '')).text();
      expect(text(html)).toMatch(
        /Row 1 ?: Invalid date .* Write it in the form yyyy-mm-dd, such as 2016-10-31\. Mary,never/,
      );
    });
  });
});
