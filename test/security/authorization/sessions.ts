import { type BrowserSession } from './guarded-routes';

/** Signs in with a key as a browser does. The CSRF token is read from the forms of the start page. */
export async function signIn(url: string, key: string): Promise<BrowserSession> {
  const answer = await fetch(`${url}/session`, {
    method: 'POST',
    body: new URLSearchParams({ key }),
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  const cookie = answer.headers.get('set-cookie')?.split(';')[0];
  if (cookie === undefined) throw new Error(`the sign-in failed: ${answer.status}`);
  const page = await (await fetch(`${url}/`, { headers: { cookie } })).text();
  const csrf = /[?&;]csrf=([\w%-]+)/.exec(page)?.[1];
  if (csrf === undefined) throw new Error('the page has no form of the session');
  return { cookie, csrf: decodeURIComponent(csrf) };
}
