import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signedHeaders, webhookSecret } from '../libs/webhooks/src/message';
import { RETRY_DELAYS_MS } from '../libs/webhooks/src/delivery-result';

const PAGE = readFileSync(join(__dirname, '../docs/webhooks.md'), 'utf8');
const snippet = (language: string): string => PAGE.split(`\`\`\`${language}\n`)[1].split('```')[0];

const SECRET = webhookSecret('a secret of the tests', 'key');
const BODY = '{"type":"batch.completed","data":{"error":"naïve"}}';
const now = Math.floor(Date.now() / 1000);
const headers = signedHeaders(SECRET, 'message', now, BODY);
const genuine = { secret: SECRET, headers, body: BODY };
const CASES: readonly (readonly [string, boolean, typeof genuine])[] = [
  ['a genuine message', true, genuine],
  [
    'a genuine message with a second signature of another secret',
    true,
    other({ 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }),
  ],
  ['another body', false, { ...genuine, body: `${BODY} ` }],
  ['another id', false, other({ 'webhook-id': 'other' })],
  ['another secret', false, { ...genuine, secret: webhookSecret('a secret of the tests', 'other') }],
  ['an old message', false, { ...genuine, headers: signedHeaders(SECRET, 'message', now - 3600, BODY) }],
];

function other(changed: Record<string, string>): typeof genuine {
  return { ...genuine, headers: { ...headers, ...changed } };
}

describe('the verification code of docs/webhooks.md', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'donorlens-webhooks-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs the code once for all cases. */
  const answers = (command: string, name: string, code: string): unknown => {
    writeFileSync(join(folder, name), code);
    const input = JSON.stringify(CASES.map(([, , message]) => message));
    return JSON.parse(execFileSync(command, [join(folder, name)], { input, encoding: 'utf8' }));
  };
  const expected = CASES.map(([, isGenuine]) => isGenuine);

  it('accepts only genuine messages in Python', () => {
    const run =
      'import json, sys\nprint(json.dumps([is_genuine(m["secret"], m["headers"], m["body"].encode()) for m in json.load(sys.stdin)]))\n';
    expect(answers('python3', 'check.py', `${snippet('python')}\n${run}`)).toEqual(expected);
  });

  it('accepts only genuine messages in Node', () => {
    const run = `import { readFileSync } from 'node:fs';
const messages = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify(messages.map((m) => isGenuine(m.secret, m.headers, Buffer.from(m.body)))));`;
    expect(answers(process.execPath, 'check.mjs', `${snippet('js')}\n${run}`)).toEqual(expected);
  });
});

it('a webhook is retried as often as the page says', () => {
  expect(PAGE).toContain('ten times in all');
  expect(RETRY_DELAYS_MS).toHaveLength(9);
  expect(PAGE).toContain('5 seconds, 5 minutes, 30 minutes, 2, 5, 10, 14, 20 and 24 hours');
  const hours = [2, 5, 10, 14, 20, 24].map((n) => n * 3_600_000);
  expect(RETRY_DELAYS_MS).toEqual([5_000, 300_000, 1_800_000, ...hours]);
});
