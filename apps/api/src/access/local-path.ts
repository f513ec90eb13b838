const LOCAL = /^\/(?![/\\])[^\\\s]{0,2000}$/;
/** Keys do not travel on in addresses once a session has taken their place. */
const KEYS = ['apiKey', 'token', 'csrf'];

/** Where to go on this service after a form; anything that is not a path of ours is the start page. */
export function localPath(asked: string | null | undefined): string {
  if (asked === null || asked === undefined || !LOCAL.test(asked)) return '/';
  const url = new URL(asked, 'http://localhost');
  if (url.host !== 'localhost' || url.pathname.startsWith('//')) return '/'; // the text was judged, this is where it goes
  for (const name of KEYS) url.searchParams.delete(name);
  return url.pathname + url.search;
}
