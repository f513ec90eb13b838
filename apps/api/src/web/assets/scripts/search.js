/*
 * Suggestions while typing, as a combobox with a list (WAI-ARIA): arrow keys move through options, Enter selects one,
 * Escape closes the list. An option opens its page, or sets the parameter of `data-pick` and submits the form.
 */
const WAIT_MS = 120;
const MIN_LETTERS = 2;

function addSuggestions(form, number) {
  const input = form.querySelector('input[type=search]');
  const list = document.createElement('ul');
  const status = document.createElement('span');
  Object.assign(list, { id: `suggestions-${number}`, className: 'suggestions', hidden: true });
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Suggestions');
  status.setAttribute('role', 'status');
  status.className = 'hidden';
  const box = document.createElement('span');
  box.className = 'combobox';
  input.replaceWith(box);
  box.append(input, list);
  form.append(status);
  const attributes = {
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': list.id,
  };
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);

  let timer;
  let request = new AbortController();
  let active = -1;

  function activate(at) {
    const options = [...list.children];
    active = (at + options.length) % options.length;
    for (const [number, option] of options.entries()) option.setAttribute('aria-selected', String(number === active));
    input.setAttribute('aria-activedescendant', options[active].id);
    options[active].scrollIntoView({ block: 'nearest' });
  }

  function close() {
    clearTimeout(timer);
    request.abort();
    list.hidden = true;
    list.replaceChildren();
    status.textContent = '';
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
    active = -1;
  }

  async function show() {
    const text = input.value.trim();
    if (text.length < MIN_LETTERS) return close();
    request.abort();
    request = new AbortController();
    const url = new URL(form.dataset.suggest, location.href);
    url.searchParams.set('q', text);
    const answer = await fetch(url, { signal: request.signal });
    if (!answer.ok) return close();
    list.innerHTML = await answer.text();
    for (const option of list.children) option.id = `${list.id}-${option.id}`;
    const { length } = list.children;
    list.hidden = length === 0;
    input.setAttribute('aria-expanded', String(length > 0));
    status.textContent = length === 0 ? 'No suggestions' : `${length} suggestion${length === 1 ? '' : 's'}`;
    active = -1;
    input.removeAttribute('aria-activedescendant');
  }

  function take({ dataset: { id, url } }) {
    const { pick } = form.dataset;
    if (pick === undefined) return location.assign(url);
    const field = Object.assign(document.createElement('input'), { type: 'hidden', name: pick, value: id });
    input.value = '';
    input.required = false;
    input.disabled = true;
    form.append(field);
    form.requestSubmit();
  }

  // The browser may restore the page as it was when a suggestion was chosen.
  addEventListener('pageshow', ({ persisted }) => persisted && input.disabled && location.reload());

  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => show().catch((error) => error.name === 'AbortError' || close()), WAIT_MS);
  });
  input.addEventListener('keydown', (event) => {
    if (list.hidden) return;
    const keys = {
      ArrowDown: () => activate(active + 1),
      ArrowUp: () => activate(Math.max(active, 0) - 1),
      Escape: close,
      ...(active >= 0 && { Enter: () => take(list.children[active]) }),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  input.addEventListener('blur', close);
  list.addEventListener('pointerdown', (event) => {
    event.preventDefault(); // the field keeps the focus
    const option = event.target.closest('[role=option]');
    if (option) take(option);
  });
}

for (const [number, form] of document.querySelectorAll('form[data-suggest]').entries()) addSuggestions(form, number);
