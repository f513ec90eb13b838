/*
 * The operators' console: every 5 s what has changed is changed where it stands, so that focus, selection and scrolling
 * stay. A page that nobody looks at asks for nothing.
 */
const EVERY_MS = 5000;
const PATIENCE_MS = 8000;

/** What somebody has opened stays open. */
const isOpened = (element, name) => element.nodeName === 'DETAILS' && name === 'open';

/** Makes one element like another; what is the same is left alone. */
function follow(here, there) {
  if (here.nodeType !== there.nodeType || here.nodeName !== there.nodeName || here.id !== there.id)
    return here.replaceWith(document.importNode(there, true));
  if (here.nodeType !== Node.ELEMENT_NODE) {
    if (here.nodeValue !== there.nodeValue) here.nodeValue = there.nodeValue;
    return;
  }
  for (const { name } of [...here.attributes])
    if (!there.hasAttribute(name) && !isOpened(here, name)) here.removeAttribute(name);
  for (const { name, value } of there.attributes) if (here.getAttribute(name) !== value) here.setAttribute(name, value);
  const wanted = [...there.childNodes];
  const ids = new Set(wanted.map(({ id }) => id));
  for (const child of [...here.children]) if (child.id && !ids.has(child.id)) child.remove(); // what comes after it stays itself
  const old = [...here.childNodes];
  wanted.forEach((node, at) =>
    at < old.length ? follow(old[at], node) : here.append(document.importNode(node, true)),
  );
  for (const node of old.slice(wanted.length)) node.remove();
}

async function look() {
  const answer = await fetch(location.href, {
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(PATIENCE_MS), // one that is frozen refuses nothing
  });
  if (answer.status === 401 || answer.redirected) return location.reload();
  if (!answer.ok) throw new Error(String(answer.status));
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  follow(document.querySelector('main'), page.querySelector('main'));
}

function lost() {
  const said = document.getElementById('said');
  if (!said.dataset.lost) said.textContent = `${said.textContent} The service does not answer: this page is old.`;
  said.dataset.lost = 'true';
}

/** The next look begins some time after the last one has its answer: a service that is slow gets one at a time. */
function lookLater() {
  setTimeout(async () => {
    if (!document.hidden) await look().catch(lost);
    lookLater();
  }, EVERY_MS);
}

lookLater();
