// Sluice for browsers: a button or form that is used once at a time, and a fetch that comes back when the server says.
// No dependencies. Apache License 2.0.

const TEXTS = {
  en: { busy: 'Please wait', wait: 'Try again in {time}', ready: 'You can try again now' },
  zh: { busy: '请稍候', wait: '请在 {time}后重试', ready: '现在可以重试了' },
};
const IDEMPOTENT = /^(GET|HEAD|OPTIONS|PUT|DELETE|TRACE)$/;
const MOST_RETRIES = 10;
const LONGEST_WAIT = 3600000; // beyond 25 days a browser's timer may run at once
const DATE = /^[A-Z][a-z]+,? [\w -]+\d\d:\d\d:\d\d/;
const POLICY = /(?:"(?:[^"\\]|\\.)*"|[^\s,;"]+)((?:\s*;\s*[^,;"]*(?:"(?:[^"\\]|\\.)*")?)*)/g;

/** How many milliseconds the server wants us to wait; null if it does not say. */
export function retryAfter(response) {
  const header = name => response.headers.get(name)?.trim();
  const value = header('retry-after');
  if (value != null) {
    if (/^\d{1,9}$/.test(value)) return value * 1000;
    // compared with the server's own clock: this one may be wrong
    const left = DATE.test(value) ? Date.parse(value) - (Date.parse(header('date')) || Date.now()) : NaN;
    return isNaN(left) ? null : Math.max(0, left);
  }
  let longest = null;
  if (response.status === 429) {
    for (const [, parameters] of (header('ratelimit') ?? '').matchAll(POLICY)) {
      const number = name => parameters.match(`;\\s*${name}=(\\d{1,9})\\s*(?:;|$)`)?.[1];
      const time = number('t');
      if (number('r') == 0 && time) longest = Math.max(longest, time * 1000);
    }
  }
  return longest;
}

/** Bounds the retries of all calls that share it: a few at once, and over time a share of the calls. */
export class RetryBudget {
  #max;
  #share;
  #left;

  constructor(retries = 10, percent = 10) {
    this.#max = this.#left = retries * 100;
    this.#share = percent;
  }

  get remaining() {
    return Math.floor(this.#left / 100);
  }

  earn() {
    this.#left = Math.min(this.#max, this.#left + this.#share);
  }

  take() {
    if (this.#left < 100) return false;
    this.#left -= 100;
    return true;
  }
}

const shared = new RetryBudget();

/**
 * fetch, but what the server refuses for a while is sent again: after 429 or 503, when the server says, at most 3 times, if
 * the call can be repeated and the budget allows.
 */
async function retryingFetch(input, init, { retries = 3, maxWait = 30000, budget = shared } = {}) {
  if (!(retries >= 0 && retries <= MOST_RETRIES && maxWait >= 0 && maxWait <= LONGEST_WAIT)) {
    throw new RangeError(`retries must be 0 to ${MOST_RETRIES} and maxWait 0 to ${LONGEST_WAIT}, were ${retries} and ${maxWait}`);
  }
  budget.earn();
  const request = new Request(input, init);
  const repeatable = (IDEMPOTENT.test(request.method) || request.headers.has('idempotency-key'))
    && !(init?.body instanceof ReadableStream);
  for (let left = repeatable ? retries : 0; ; left--) {
    const response = await globalThis.fetch(left > 0 ? request.clone() : request);
    const wait = left > 0 && [429, 503].includes(response.status) ? retryAfter(response) : null;
    if (wait === null || wait > maxWait || !budget.take()) return response;
    response.body?.cancel().catch(() => {});
    await pause(wait + Math.random() * Math.max(100, wait / 10), request.signal);
  }
}
export { retryingFetch as fetch };

function pause(millis, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, millis);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/**
 * Guards a button or a form: one click runs the action, further ones are dropped until it ends. If it ends in a response
 * that says when to come back, until then. Returns an object whose remove() ends the guard.
 */
export function guard(element, action, { texts } = {}) {
  if (!(element instanceof HTMLElement) || typeof action !== 'function') {
    throw new TypeError('guard(element, action): an HTML element and a function are needed');
  }
  const found = (element.closest('[lang]')?.lang || navigator.language).toLowerCase().match(/^[a-z]{2,3}/)?.[0];
  const language = texts || TEXTS[found] ? found : 'en';
  const text = { ...TEXTS.en, ...TEXTS[found], ...texts };
  const form = element instanceof HTMLFormElement;
  const buttons = form ? [...element.elements].filter(e => e.type === 'submit') : [element];
  const styles = buttons.map(({ style: { opacity, cursor } }) => ({ opacity, cursor }));
  const ended = new AbortController();
  let state = '';
  let timer;

  // What is seen changes every second; what a screen reader says does not.
  const seen = document.createElement('span');
  const said = document.createElement('span');
  seen.className = 'sluice-countdown';
  seen.setAttribute('aria-hidden', 'true');
  said.className = 'sluice-status';
  said.setAttribute('role', 'status');
  Object.assign(said.style, { position: 'absolute', width: '1px', height: '1px', overflow: 'hidden', clipPath: 'inset(50%)' });
  (buttons.at(-1) ?? element).after(seen, said);

  const set = (next, shown, spoken) => {
    state = element.dataset.sluice = next;
    buttons.forEach((button, i) => {
      // not disabled: the focus would be lost
      if (next) button.setAttribute('aria-disabled', 'true');
      else button.removeAttribute('aria-disabled');
      Object.assign(button.style, next ? { opacity: '.55', cursor: 'not-allowed' } : styles[i]);
    });
    seen.textContent = shown;
    if (spoken !== undefined) said.textContent = spoken;
  };
  const inWords = (seconds, unitDisplay) => {
    const [unit, value] = seconds < 100 ? ['second', seconds]
      : seconds < 6000 ? ['minute', Math.ceil(seconds / 60)] : ['hour', Math.ceil(seconds / 3600)];
    const time = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay }).format(value);
    return text.wait.replace('{time}', () => time);
  };
  const countDown = (until, before) => {
    const left = until - performance.now();
    const seconds = Math.ceil(left / 1000);
    if (seconds <= 0) return set('', '', text.ready);
    const step = [600, 300, 120, 60, 30, 10].some(at => seconds <= at && before > at) || before === Infinity;
    set('waiting', inWords(seconds, 'narrow'), step ? inWords(seconds, 'long') : undefined);
    timer = setTimeout(countDown, left - (seconds - 1) * 1000 + 1, until, seconds);
  };
  const onEvent = async event => {
    event.preventDefault();
    if (state) return event.stopImmediatePropagation();
    set('busy', '', text.busy);
    let wait = null;
    try {
      const result = await action(event);
      if (result?.headers?.get && !result.ok) wait = retryAfter(result);
    } finally {
      if (!ended.signal.aborted) {
        if (wait) countDown(performance.now() + wait, Infinity);
        else set('', '', '');
      }
    }
  };
  element.addEventListener(form ? 'submit' : 'click', onEvent, { capture: true, signal: ended.signal });
  return {
    remove() {
      ended.abort();
      clearTimeout(timer);
      set('', '', '');
      seen.remove();
      said.remove();
    },
  };
}
