import { type Batch, type BatchSummary } from '@donorlens/batches';
import { type WebhookStatus } from '@donorlens/webhooks';
import { batchWire, type LiveBatchStatus } from '../../batches/batch-wire';
import { renderBatchPage } from './batch-page';
import { renderDeletePage } from './batch-sections';
import { renderBatchesPage } from './batches-page';

const STARTED = new Date('2026-01-02T03:00:00Z');
const NOW = new Date('2026-01-02T03:00:20Z');
const RUNNING: Batch = {
  id: '00000000-0000-4000-8000-000000000001',
  apiKeyId: 'k',
  idempotencyKey: null,
  name: null,
  type: 'contributions',
  itemFormat: 'csv',
  columns: ['name'],
  mapping: {},
  minAge: null,
  ageBasis: 'name',
  ethnicityBasis: 'surname',
  state: 'running',
  rowsTotal: 4000,
  chunksTotal: 4,
  chunksDone: 2,
  counts: { ok: 1900, partial: 60, not_found: 30, invalid: 10, failed: 0 },
  addresses: { match: 700, noMatch: 50, tie: 10, skipped: 230, pending: 1000 },
  releaseId: 'sample.abcdef',
  errorCode: null,
  createdAt: STARTED,
  startedAt: STARTED,
  enrichedAt: null,
  geocodedAt: null,
  finishedAt: null,
  expiresAt: null,
};
const COMPLETED: Batch = {
  ...RUNNING,
  state: 'completed',
  rowsTotal: 2000,
  enrichedAt: NOW,
  finishedAt: NOW,
  expiresAt: new Date('2026-01-09T03:00:20Z'),
};

const NO_ADDRESSES = { match: 0, noMatch: 0, tie: 0, skipped: 0, pending: 0 };

const ALONE: LiveBatchStatus = { waitsFor: null, isStalled: false, geocodedPerSecond: null };
const page = (batch: Batch, around: Partial<LiveBatchStatus> = {}, key?: string): string =>
  renderBatchPage({ batch: batchWire(batch, NOW, { ...ALONE, ...around }), apiKey: key });
const text = (html: string): string =>
  html
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll('&#39;', "'");

describe('the JSON of a batch', () => {
  it('has both stages, and progress over both', () => {
    expect(batchWire(RUNNING, NOW, ALONE)).toMatchObject({
      stages: { enriched: { done: 2000, total: 4000 }, geocoded: { done: 1000, total: 4000 } },
      addresses: { match: 700, no_match: 50, tie: 10, skipped: 230, pending: 1000 },
      progress: 0.375,
      waits_for: null,
    });
    expect(batchWire({ ...RUNNING, type: 'ethnicity' }, NOW, ALONE)).toMatchObject({
      stages: { enriched: { done: 2000, total: 4000 }, geocoded: null },
      progress: 0.5,
    });
  });

  it('says why a batch makes no progress before any address is pending', () => {
    const accepted: Batch = { ...RUNNING, state: 'accepted', addresses: NO_ADDRESSES };
    expect(text(page(accepted, { waitsFor: 'work is paused' }))).toContain('Waiting: work is paused.');
    expect(page(accepted)).toContain('id="held-up" hidden');
    expect(page(RUNNING, { waitsFor: '1,000 addresses pending' })).toContain('id="held-up" hidden');
    expect(page(COMPLETED)).not.toContain('held-up');
    expect(text(page(RUNNING))).toContain('100 rows per second.');
    expect(text(page(RUNNING, { waitsFor: 'work is paused', isStalled: true }))).not.toContain('per second');
  });

  it('has a progress below 1 until all rows are done', () => {
    const counts = { ok: 1_999_999, partial: 0, not_found: 0, invalid: 0, failed: 0 };
    expect(batchWire({ ...RUNNING, type: 'ethnicity', rowsTotal: 2_000_000, counts }, NOW, ALONE).progress).toBe(
      0.9999,
    );
  });
});

describe('the list of batches', () => {
  const list = (batch: Batch, status: Partial<LiveBatchStatus> = {}): string => {
    const batches = [{ ...batchWire(batch, NOW, { ...ALONE, ...status }), name: 'donors.csv', options: batch }];
    const filter = { namePart: null, state: null, sort: 'newest' } as const;
    return text(renderBatchesPage({ user: null, batches, next: null, isLater: false, wasDeleted: false, filter }));
  };

  it('has links to the results of an ended batch if a row was processed', () => {
    const none = { ok: 0, partial: 0, not_found: 0, invalid: 0, failed: 0 };
    expect(list({ ...RUNNING, state: 'failed' })).toMatch(/CSV .* 10 rows with errors/);
    expect(list({ ...RUNNING, state: 'failed', counts: none })).not.toContain('CSV');
  });

  it('names the options of the estimates that are not the default', () => {
    expect(list(RUNNING)).toMatch(/ All fields · /);
    const options = { minAge: 18, ageBasis: 'group', ethnicityBasis: 'place' } as const;
    const named = 'All fields, minimum age 18, ages of the rows of the file, ethnicity by surname and place';
    expect(list({ ...RUNNING, ...options })).toContain(`${named} · `);
    const page = renderBatchPage({ batch: batchWire(RUNNING, NOW, ALONE), options });
    expect(text(page)).toContain(`Batch: ${named}`);
  });

  it('says why a batch has stopped', () => {
    const waitsFor = 'processing has been paused; 1,000 addresses are pending';
    expect(list(RUNNING, { waitsFor, isStalled: true })).toMatch(
      /rows, running : processing has been paused; sample data/,
    );
    expect(list(RUNNING, { waitsFor })).not.toContain('paused');
  });
});

describe('the page of a batch', () => {
  it('summarizes a completed batch, with the share of filled rows by column', () => {
    const summary: BatchSummary = {
      rows: 2000,
      first_names_known: 1900,
      surnames_known: 1000,
      ages: {
        basis: 'group',
        median: 58,
        median_low: 56,
        median_high: 60,
        distribution: [
          { age: 57, people: 400 },
          { age: 58, people: 1500 },
        ],
      },
      sex: [
        { value: 'f', people: 950 },
        { value: 'm', people: 950 },
      ],
      ethnicity: [
        { value: 'white', people: 700 },
        { value: 'black', people: 300 },
      ],
      states: [{ value: 'CT', rows: 500 }, ...Array.from({ length: 10 }, (_, at) => ({ value: `S${at}`, rows: 2 }))],
      counties: [{ fips: '09001', county: 'Fairfield County', state: 'CT', rows: 500 }],
      income: { q25: 60_000, median: 70_000, q75: 90_000 },
      filled: [{ column: 'COUNTY', rows: 500, fill_rate: 0.25 }],
      data_release: 'r',
    };
    const html = renderBatchPage({ batch: batchWire(COMPLETED, NOW, ALONE), summary });
    const shown = text(html);
    const shownOf = (type: Batch['type'], changed: Partial<BatchSummary> = {}): string =>
      text(
        renderBatchPage({ batch: batchWire({ ...COMPLETED, type }, NOW, ALONE), summary: { ...summary, ...changed } }),
      );
    expect(shownOf('ethnicity')).not.toContain('First names known');
    expect(shownOf('age_gender')).not.toContain('Surnames known');
    for (const fact of [
      ...['First names known 95%', 'Median age of adults (95% interval) 58 (56 to 60)', 'Female 50%', 'COUNTY 500 25%'],
      ...['Female 50% (950), Male 50% (950).', 'White 70% (700), Black 30% (300).', 'Largest group: White 70%'],
      ...['CT 96.2% (500), S0 0.4% (2)', 'number of rows in parentheses. The 10 states with the most rows.'],
      'Expected number of people in parentheses, from all known surnames.',
    ])
      expect(shown).toContain(fact);
    expect(shown).not.toContain('S9'); // the eleventh state
    expect(shown).toContain('Fairfield County, CT 96.2% (500)');
    expect(shownOf('contributions', { counties: [] })).not.toContain('Counties');
    // one bar, of the ages 55 to 59
    expect(/<path class="histogram" d="([^"]*)"/.exec(html)![1].match(/M/g)).toHaveLength(1);
    expect(page(COMPLETED)).not.toContain('id="summary"');
    const withOld = (people: number): string => {
      const distribution = [...summary.ages.distribution, { age: 100, people: 80 }, { age: 101, people }];
      return text(
        renderBatchPage({
          batch: batchWire(COMPLETED, NOW, ALONE),
          summary: { ...summary, ages: { ...summary.ages, distribution } },
        }),
      );
    };
    expect(withOld(40)).not.toContain('unreliable'); // 40 of 2,020
    expect(withOld(41)).toContain('These ages are unreliable, because 2% of the people would be over 100');
  });

  it('shows the progress of each stage, and reloads itself until the batch has ended', () => {
    const html = page(RUNNING);
    expect(text(html)).toMatch(
      /2,000 of 4,000 rows, running .* Names: age, gender, ethnicity 50% .* 760 of 1,760 geocoded, 230 without a usable address/,
    );
    expect([...html.matchAll(/<progress max="(\d+)" value="(\d+)"/g)].map(([, ...numbers]) => numbers)).toEqual([
      ['4000', '2000'],
      ['3760', '760'], // without rows that need no address, and without invalid rows
    ]);
    expect(html).toContain('http-equiv="refresh"');
    expect(page(COMPLETED)).not.toContain('http-equiv="refresh"');
    expect(page({ ...RUNNING, state: 'failed' })).toContain('<progress max="3760" value="760"'); // not full
  });

  it('does not look completed while addresses are pending', () => {
    const waiting = { ...COMPLETED, state: 'running', enrichedAt: NOW, finishedAt: null } as const;
    expect(text(page({ ...waiting, addresses: { ...NO_ADDRESSES, pending: 1990 } }))).toContain(
      '2,000 rows, running; 1,990 with a pending address',
    );
    const words = text(page(waiting, { geocodedPerSecond: 0.4 }));
    expect(words).toContain('2,000 rows, running; 1,000 with a pending address');
    expect(words).toContain('&lt; 1 rows per second. About 42 minutes left.');
    expect(text(page(waiting))).not.toMatch(/per second|left\./);
    expect(text(page(COMPLETED))).not.toContain('per second');
  });

  it('names the fields that its type adds', () => {
    expect(text(page({ ...RUNNING, type: 'age_gender' }))).toContain('Names: age, gender 50%');
    expect(text(page({ ...RUNNING, type: 'ethnicity' }))).toContain('Names: ethnicity 50%');
  });

  it('gives advice if the batch ended without all results', () => {
    const again = 'To get all results, upload the file again .';
    const ended = (state: Batch['state'], errorCode: string | null = null) =>
      text(page({ ...RUNNING, state, errorCode, expiresAt: COMPLETED.expiresAt }));
    expect(ended('cancelled')).toContain(again);
    expect(ended('expired')).toContain(`The rows and results are deleted. ${again}`);
    expect(ended('expired')).toContain('Rows expired on 2026-01-09 03:00 UTC.');
    expect(ended('expired').match(/deleted/g)).toHaveLength(1);
    expect(ended('failed', 'chunk_failed')).toContain(
      `The batch failed with the error chunk_failed : some of its rows could not be processed. ${again} If it fails again, tell the operator of this service.`,
    );
    for (const state of ['running', 'cancelling', 'completed'] as const)
      expect(ended(state)).not.toContain('upload the file');
    expect(page({ ...RUNNING, state: 'failed' })).toContain('<a href="/upload">upload the file again</a>');
  });

  it('has a confirmation of the deletion that names the batch', () => {
    const batch = { ...COMPLETED, rowsTotal: 1, name: 'donors.csv', minAge: 18 };
    const asked = text(renderDeletePage(batchWire(batch, NOW, ALONE), batch, null));
    expect(asked).toContain('Batch donors.csv : All fields, minimum age 18 Delete this batch of 1 row?');
    expect(asked).toContain('Back to the batch');
  });

  it('begins with the number of rows, also if addresses stay pending', () => {
    expect(text(page({ ...COMPLETED, addresses: { ...NO_ADDRESSES, pending: 1 } }))).toContain(
      '2,000 rows, completed; 1 with a pending address',
    );
    expect(text(page({ ...RUNNING, state: 'cancelled' }))).toContain('Cancelled after 2,000 of 4,000 rows');
    expect(
      text(
        page({
          ...COMPLETED,
          rowsTotal: 1,
          counts: { ...RUNNING.counts, ok: 1, partial: 0, not_found: 0, invalid: 0 },
        }),
      ),
    ).toContain('1 row, completed;');
  });

  it('names the file that was sent', () => {
    const html = renderBatchPage({ batch: batchWire(RUNNING, NOW, ALONE), name: 'my <donors>.csv' });
    expect(text(html)).toContain('Batch my &lt;donors>.csv : All fields');
    expect(html).toContain('<title>my &lt;donors>.csv: 2,000 of 4,000 rows, running');
    expect(page(COMPLETED)).toContain('<title>All fields: 2,000 rows, completed; 1,000 with a pending address');
  });

  it('links to the invalid and failed rows if there are any', () => {
    expect(page(RUNNING)).toContain('<span data-errors="true">');
    const failed = text(page({ ...COMPLETED, counts: { ...COMPLETED.counts, ok: 1908, invalid: 0, failed: 2 } }));
    expect(failed).toContain('Invalid 0 Failed 2 Rows with errors Download all 2 rows with errors as CSV');
    expect(page({ ...RUNNING, counts: { ...RUNNING.counts, invalid: 0 } })).toContain(
      '<span data-errors="true" hidden>',
    );
  });

  it('says whether the newest message to the webhook has arrived, and what comes next', () => {
    const at = new Date('2026-01-02T03:04:05Z');
    const sent = { host: 'hooks.example.org', event: 'batch.completed', state: 'delivered', attempts: 1 } as const;
    const says = (given: Partial<WebhookStatus>): string => {
      const webhook = { ...sent, status: 204, error: null, at, ...given };
      return text(renderBatchPage({ batch: batchWire(COMPLETED, NOW, ALONE), webhook }));
    };
    const failed = { state: 'failed', at: null } as const;
    expect(says({})).toContain('Webhook to hooks.example.org : batch.completed delivered on 2026-01-02 03:04 UTC.');
    expect(says({ event: null, state: 'pending' })).toContain('not sent yet. Reload this page to see the result.');
    expect(says({ state: 'pending', attempts: 0 })).toContain('batch.completed not delivered yet. Reload this page');
    expect(says({ state: 'pending', attempts: 2, status: null, error: 'timeout' })).toContain(
      'not delivered: no answer within 10 seconds. Next attempt after 2026-01-02 03:04 UTC.',
    );
    expect(says({ ...failed, status: 410, error: 'gone' })).toContain(
      'not delivered after 1 attempt: the receiver answered 410. No further attempt.',
    );
    const revoked = { ...failed, status: null, error: 'key_revoked' } as const;
    expect(says(revoked)).toContain('not delivered: the API key of the batch was revoked. No further attempt.');
    expect(says({ ...revoked, attempts: 3 })).toContain('not delivered after 2 attempts: the API key of the batch');
    expect(page(COMPLETED)).not.toContain('Webhook');
  });

  it('explains how invalid rows are numbered', () => {
    const errors = [{ row: 17, code: 'bad_date', message: 'invalid date', source: 'x' }];
    expect(text(renderBatchPage({ batch: batchWire(COMPLETED, NOW, ALONE), errors }))).toContain(
      'no empty row, row 17 is row 18 of an Excel sheet. Row 17 : Invalid date.',
    );
  });

  it('warns if its figures come from the sample', () => {
    expect(text(page(RUNNING))).toContain('Synthetic sample data. These figures describe no real people');
    expect(text(page({ ...RUNNING, releaseId: '2026-01-02.abcdef' }))).not.toContain('sample');
  });

  it('does not promise a county for an address without a match', () => {
    expect(text(page(RUNNING))).toMatch(
      /No match: no county.* Ambiguous: a county only if all candidate addresses are in one/,
    );
  });

  it('has one stage and no addresses for a type without addresses', () => {
    const html = page({ ...RUNNING, type: 'age_gender', addresses: NO_ADDRESSES });
    expect(html.match(/<progress/g)).toHaveLength(1);
    expect(text(html)).not.toMatch(/address|partly/i);
  });

  it('has the geocoding results with labels', () => {
    expect(text(page(RUNNING))).toContain('Addresses matched 700 No match 50 Ambiguous 10 Skipped 230 Pending 1,000');
    expect(text(page(RUNNING))).toContain(
      'Name known 1,900 Name known, address not matched 60 Name unknown 30 Invalid 10',
    );
    const cancelled = text(page({ ...RUNNING, state: 'cancelled' })); // its pending addresses are not geocoded
    expect(cancelled).toContain('Not geocoded 1,000');
    expect(cancelled).not.toContain('Pending');
  });

  it('states why addresses are pending, and what is available', () => {
    const words = text(page(RUNNING, { waitsFor: "the geocoder doesn't answer; it is tried again" }));
    expect(words).toContain("1,000 rows wait for their addresses. The geocoder doesn't answer. It is tried again.");
    expect(words).toContain('Age, gender and ethnicity are available now.');
    expect(text(page(RUNNING))).toContain('1,000 rows wait for their addresses. Age,');
    expect(text(page(COMPLETED, { waitsFor: 'it is down' }))).toMatch(
      /It is down\. The batch is completed without them; the results are updated/,
    );
    const geocoded = { ...RUNNING, rowsTotal: 2000, addresses: { ...RUNNING.addresses, pending: 0 } };
    for (const batch of [
      geocoded,
      { ...RUNNING, state: 'cancelled' } as const,
      { ...RUNNING, state: 'expired' } as const,
    ])
      expect(text(page(batch, { waitsFor: 'it is down' }))).not.toContain('it is down');
  });

  it('links to the results so far, and to the results when it has ended', () => {
    expect(page(RUNNING, {}, 'a&b')).toContain('/results?format=csv&amp;partial=true&amp;apiKey=a%26b"');
    expect(text(page(RUNNING))).toMatch(
      /Download results so far: CSV .* Parquet .* Your own columns are text in Excel and Parquet files/,
    );
    expect(page(COMPLETED)).toContain('/results?format=csv"');
    expect(page({ ...RUNNING, state: 'expired' })).not.toContain('/results?');
    expect(text(page({ ...RUNNING, state: 'failed' }))).toContain('Download partial results: CSV');
    const none = { ...RUNNING.counts, ok: 0, partial: 0, not_found: 0, invalid: 0 };
    expect(page({ ...RUNNING, counts: none })).toContain('data-files="true" hidden');
    expect(page(RUNNING)).not.toContain('data-files="true" hidden');
  });
});
