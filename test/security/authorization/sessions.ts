import { type BrowserSession } from './doors';

/** Enters a key as a browser does. The token stands in the forms of a page that every key can see. */
export async function enter(url: string, key: string): Promise<BrowserSession> {
  const answer = await fetch(`${url}/session`, {
    method: 'POST',
    body: new URLSearchParams({ key }),
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`no session began: ${answer.status}`);
  const page = await (await fetch(`${url}/`, { headers: { cookie } })).text();
  const csrf = /[?&;]csrf=([\w%-]+)/.exec(page)?.[1];
  if (csrf === undefined) throw new Error('the page has no form of the session');
  return { cookie, csrf: decodeURIComponent(csrf) };
}
