/*
 * Updates the page in place every 5 s, so that focus, selection and scrolling stay. A hidden page sends no requests.
 */
const INTERVAL_MS = 5000;
const TIMEOUT_MS = 8000;

/** Whether the attribute is the open state of a `details` element, which an update must not change. */
const isOpenState = (element, name) => element.nodeName === 'DETAILS' && name === 'open';

/** Makes one element equal to another and changes only what differs. */
function patch(here, there) {
  if (here.nodeType !== there.nodeType || here.nodeName !== there.nodeName || here.id !== there.id)
    return here.replaceWith(document.importNode(there, true));
  if (here.nodeType !== Node.ELEMENT_NODE) {
    if (here.nodeValue !== there.nodeValue) here.nodeValue = there.nodeValue;
    return;
  }
  for (const { name } of [...here.attributes])
    if (!there.hasAttribute(name) && !isOpenState(here, name)) here.removeAttribute(name);
  for (const { name, value } of there.attributes) if (here.getAttribute(name) !== value) here.setAttribute(name, value);
  patchChildren(here, [...there.childNodes]);
}

/** Pairs children by id, others by position. */
function patchChildren(here, wanted) {
  const ids = new Set(wanted.map(({ id }) => id));
  for (const child of [...here.children]) if (child.id && !ids.has(child.id)) child.remove(); // aligns later siblings
  const kept = new Map([...here.children].map((child) => [child.id, child]));
  wanted.forEach((node, at) => {
    const existing = node.id ? kept.get(node.id) : undefined;
    // Removes children without an id before an existing one: to move it would take its focus away.
    while (existing && here.childNodes[at] && !here.childNodes[at].id) here.childNodes[at].remove();
    const child = here.childNodes[at] ?? null;
    if (child && (child.id || '') === (node.id || '')) patch(child, node);
    else if (existing) patch(here.insertBefore(existing, child), node);
    else here.insertBefore(document.importNode(node, true), child);
  });
  while (here.childNodes.length > wanted.length) here.lastChild.remove();
}

async function update() {
  const answer = await fetch(location.href, {
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(TIMEOUT_MS), // a hanging service does not refuse connections
  });
  if (answer.status === 401 || answer.redirected) return location.reload();
  if (!answer.ok) throw new Error(String(answer.status));
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  patch(document.querySelector('main'), page.querySelector('main'));
}

function showDisconnected() {
  const status = document.getElementById('said');
  status.classList.remove('hidden');
  if (!status.dataset.lost)
    status.textContent = `${status.textContent} The service does not respond: this page is outdated.`.trim();
  status.dataset.lost = 'true';
}

/** The next update starts after the last one has ended, so that a slow service gets one request at a time. */
function scheduleUpdate() {
  setTimeout(async () => {
    if (!document.hidden) await update().catch(showDisconnected);
    scheduleUpdate();
  }, INTERVAL_MS);
}

scheduleUpdate();
