/*
 * Runs before the scripts of Bull Board: adds the CSRF token of the session to its requests, shows errors of the service,
 * and fixes accessibility. Class names of Bull Board end in a hash, so selectors match a part of them.
 */
const csrf = document.querySelector('meta[name=csrf]').content;

/** Shows the error of the service; Bull Board would report that there are no queues. */
function showError(request) {
  const old = document.getElementById('away');
  if (request.status !== 503) return old?.remove();
  const notice = old ?? Object.assign(document.createElement('p'), { id: 'away' });
  notice.setAttribute('role', 'alert');
  const message = messageOf(request.responseText);
  if (notice.textContent !== message) notice.textContent = message;
  if (!old) document.body.prepend(notice);
}

function messageOf(text) {
  try {
    return JSON.parse(text).detail;
  } catch {
    return 'The service does not respond.';
  }
}

const open = XMLHttpRequest.prototype.open;
XMLHttpRequest.prototype.open = function (...request) {
  open.apply(this, request);
  if (new URL(request[1], document.baseURI).origin !== location.origin) return;
  if (csrf) this.setRequestHeader('x-csrf-token', csrf);
  this.addEventListener('load', () => showError(this));
};

/** Colors with enough contrast; no transition between light and dark mode. */
const style = new CSSStyleSheet();
style.replaceSync(`
  * { transition-duration: 0s !important; }
  #away { background: #7a1f1f; color: #fff; margin: 0; padding: 0.75rem 1rem; position: sticky; top: 0; z-index: 1000; }
  body:not(.dark-mode) [class*='workersBadge'] { color: #8a4406; }
  body:not(.dark-mode) [class*='searchShortcut'] { color: #46515c; }
  body:not(.dark-mode) [class*='active'] > [class*='queueName'] { color: #0a5249; }
  body:not(.dark-mode) [class*='nullValue'] { color: #56616c; }
  body:not(.dark-mode) [class*='isPaused'] { color: #4b5661; }
  [class*='timeline'] small { color: #56616c; opacity: 1; }
  .dark-mode [class*='timeline'] small,
  .dark-mode [class*='isPaused'] { color: #a3adb8; }
`);
document.adoptedStyleSheets = [style];

const ICONS = { maximize: 'Full screen', settings: 'Settings', copy: 'Copy', 'ellipsis-vertical': 'More' };

/** Name of a button without text, from its icon: `lucide-arrow-up` is "arrow up". */
function nameOf(button) {
  const icon = button.querySelector('svg');
  const name = /lucide-([a-z-]+)/.exec(icon?.getAttribute('class') ?? '')?.[1];
  return name === undefined ? 'Queue server details' : (ICONS[name] ?? name.replaceAll('-', ' '));
}

/** Adds names and roles that Bull Board lacks for screen readers. */
function fixAccessibility() {
  for (const button of document.querySelectorAll('button:not([aria-label])'))
    if (button.textContent.trim() === '' || button.querySelector('svg > style'))
      button.setAttribute('aria-label', nameOf(button));
  for (const badge of document.querySelectorAll('button[class*=workersBadge][aria-label]')) {
    badge.title = badge.getAttribute('aria-label'); // its text is its name
    badge.removeAttribute('aria-label');
  }
  for (const icon of document.querySelectorAll('button svg[role=img]')) {
    icon.removeAttribute('role');
    icon.setAttribute('aria-hidden', 'true');
  }
  for (const logo of document.querySelectorAll('header a > img[alt]:not([alt=""])')) logo.alt = '';
  for (const title of document.querySelectorAll('header a > img + span:not([role])')) {
    title.setAttribute('role', 'heading');
    title.setAttribute('aria-level', '1');
  }
  for (const job of document.querySelectorAll('h5:not([aria-level])')) job.setAttribute('aria-level', '2');
}
new MutationObserver(fixAccessibility).observe(document.documentElement, { childList: true, subtree: true });
