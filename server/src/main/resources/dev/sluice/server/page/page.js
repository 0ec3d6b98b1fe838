// What all pages share: texts in two languages, the theme, calls to the admin port, and small ways to build a page.
// A text from outside goes into a page as text alone: nothing here, or in the scripts that use it, takes HTML.

const LANGUAGES = ['en', 'zh'];
let texts = {};
let files = [];
let listenersOfLanguage = [];
let listenersOfTheme = [];

/** Reads a setting of this browser; a browser that keeps none has none. */
function stored(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function store(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // It holds for this page then.
  }
}

function initialLanguage() {
  const chosen = stored('language');
  if (LANGUAGES.includes(chosen)) return chosen;
  const known = navigator.languages?.find(name => /^(zh|en)\b/i.test(name));
  return known && /^zh/i.test(known) ? 'zh' : 'en';
}

let current = initialLanguage();

/** The whole address of a path: a script may not use one that holds a password, as the page's own may. */
export const here = path => location.origin + path;

/** The language of the page: en or zh. */
export const language = () => current;

/** The text of a key in the language of the page, with values for its {placeholders}. */
export function text(key, values = {}) {
  const found = texts[key] ?? key;
  return found.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
}

/** Loads the shared texts and those of other files, and fills the page with them. */
export async function loadTexts(...names) {
  files = ['text', ...names];
  await load();
}

async function load() {
  const parts = await Promise.all(files.map(async name => {
    const answer = await fetch(here(`/${name}-${current}.json`));
    if (!answer.ok) throw new Error(`/${name}-${current}.json: ${answer.status}`);
    return answer.json();
  }));
  texts = Object.assign({}, ...parts);
  document.documentElement.lang = current === 'zh' ? 'zh-CN' : 'en';
  fill(document);
  nameSwitches();
  document.documentElement.dataset.ready = '';
  listenersOfLanguage.forEach(listener => listener());
}

/** Fills in the texts of all elements that name one. */
export function fill(root) {
  for (const element of root.querySelectorAll('[data-text]')) element.textContent = text(element.dataset.text);
  for (const element of root.querySelectorAll('[data-text-label]')) {
    element.setAttribute('aria-label', text(element.dataset.textLabel));
  }
  for (const element of root.querySelectorAll('[data-text-title]')) element.title = text(element.dataset.textTitle);
  for (const element of root.querySelectorAll('[data-text-placeholder]')) {
    element.placeholder = text(element.dataset.textPlaceholder);
  }
}

/** Calls a function when the texts have been loaded, in this language or another. */
export function onLanguage(listener) {
  listenersOfLanguage.push(listener);
}

// ---- The theme

const prefersDark = matchMedia('(prefers-color-scheme: dark)');

/** The theme that the page shows: light or dark. */
export function theme() {
  return document.documentElement.dataset.theme ?? (prefersDark.matches ? 'dark' : 'light');
}

/** Calls a function when the theme has changed. */
export function onTheme(listener) {
  listenersOfTheme.push(listener);
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  nameSwitches();
  listenersOfTheme.forEach(listener => listener());
}

if (['light', 'dark'].includes(stored('theme'))) document.documentElement.dataset.theme = stored('theme');
prefersDark.addEventListener('change', () => {
  nameSwitches();
  listenersOfTheme.forEach(listener => listener());
});

function nameSwitches() {
  const languageSwitch = document.getElementById('language');
  const themeSwitch = document.getElementById('theme');
  if (languageSwitch) {
    languageSwitch.textContent = current === 'en' ? '中文' : 'English';
    languageSwitch.lang = current === 'en' ? 'zh-CN' : 'en';
  }
  if (themeSwitch) themeSwitch.textContent = text(theme() === 'dark' ? 'toLight' : 'toDark');
}

document.getElementById('language')?.addEventListener('click', async () => {
  current = current === 'en' ? 'zh' : 'en';
  store('language', current);
  await load();
});
document.getElementById('theme')?.addEventListener('click', () => {
  const next = theme() === 'dark' ? 'light' : 'dark';
  store('theme', next);
  setTheme(next);
});
for (const link of document.querySelectorAll('body > header nav a')) {
  const path = location.pathname === '/rule' ? '/' : location.pathname;
  if (link.getAttribute('href') === path) link.setAttribute('aria-current', 'page');
}

// ---- Calls to the admin port

/** A call that was refused, or had no answer (status 0); `problem` is the body of the answer. */
export class CallError extends Error {
  constructor(message, status, problem) {
    super(message);
    this.status = status;
    this.problem = problem;
  }
}

/** How long to wait for what is read, and for what is changed or tried, in milliseconds. */
const PATIENCE = {read: 10_000, change: 60_000};

/**
 * Calls the admin port and returns the JSON of its answer, or null if there is none. A body that is a string is sent as
 * YAML, any other as JSON. A server that takes too long is one that does not answer.
 */
export async function api(path, options = {}) {
  const headers = {Accept: 'application/json', ...options.headers};
  let body = options.body;
  if (body !== undefined) {
    headers['Content-Type'] = typeof body === 'string' ? 'application/yaml' : 'application/json';
    body = typeof body === 'string' ? body : JSON.stringify(body);
  }
  const reads = !options.method || options.method === 'GET';
  if (!reads) headers['X-Sluice-Page'] = '1';
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), reads ? PATIENCE.read : PATIENCE.change);
  options.signal?.addEventListener('abort', () => ending.abort());
  let answer;
  let content;
  try {
    answer = await fetch(here(path), {cache: 'no-store', ...options, headers, body, signal: ending.signal});
    content = await answer.text();
  } catch (e) {
    if (options.signal?.aborted) throw e;
    throw new CallError(text('noAnswer'), 0, null);
  } finally {
    clearTimeout(timer);
  }
  let json = null;
  try {
    json = content === '' ? null : JSON.parse(content);
  } catch {
    if (answer.ok) throw new CallError(text('noJson', {path}), answer.status, null);
  }
  if (!answer.ok) throw new CallError(json?.detail ?? text('refused', {status: answer.status}), answer.status, json);
  return json;
}

/** Calls a function now and again after each pause, while the page can be seen. Returns a function that calls it now. */
export function repeat(pauseMillis, task) {
  let timer = 0;
  let running = false;
  async function run() {
    clearTimeout(timer);
    if (running) return;
    running = true;
    const began = performance.now();
    try {
      await task();
    } finally {
      running = false;
      clearTimeout(timer);
      if (!document.hidden) timer = setTimeout(run, Math.max(100, pauseMillis - (performance.now() - began)));
    }
  }
  document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : run()));
  run();
  return run;
}

// ---- Building a page

/** An element with properties and children; children that are not elements are texts. */
export function element(tag, properties = {}, ...children) {
  const [name, ...classes] = tag.split('.');
  const made = document.createElement(name || 'div');
  if (classes.length > 0) made.className = classes.join(' ');
  for (const [property, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (property.startsWith('on')) made.addEventListener(property.slice(2), value);
    else if (property in made) made[property] = value;
    else made.setAttribute(property, value);
  }
  made.append(...children.flat().filter(child => child !== null && child !== undefined));
  return made;
}

/** Sets the text of an element if it is another. */
export function say(target, words) {
  const element = typeof target === 'string' ? document.getElementById(target) : target;
  if (element && element.textContent !== words) element.textContent = words;
}

/** Shows a note, or hides it if there are no words for it. */
export function note(id, words, kind = '') {
  const element = document.getElementById(id);
  element.hidden = !words;
  element.className = `note ${kind}`;
  say(element, words ?? '');
}

/** Replaces the children of an element. */
export function put(target, ...children) {
  (typeof target === 'string' ? document.getElementById(target) : target).replaceChildren(...children.flat());
}

const kept = new Map();

/** Builds anew only what has changed, so that the focus and what is marked stay where they are. */
export function keep(id, state, build) {
  const full = `${document.documentElement.lang} ${state}`;
  if (kept.get(id) === full) return;
  const focused = document.activeElement?.closest?.(`#${id}`) ? document.activeElement.getAttribute('href') : null;
  kept.set(id, full);
  put(id, build());
  if (focused) [...document.querySelectorAll(`#${id} a`)].find(link => link.getAttribute('href') === focused)?.focus();
}

/** A table with a row for each list of cells; a cell in a list of its own is a number. Without rows, words in its place. */
export function table(heads, rows, empty = '') {
  if (rows.length === 0 && empty) return element('p.empty', {}, empty);
  const cell = (tag, value, scope) =>
    element(Array.isArray(value) ? `${tag}.number` : tag, scope ? {scope} : {}, Array.isArray(value) ? value[0] : value);
  return element('table', {},
    element('thead', {}, element('tr', {}, heads.map(head => cell('th', head, 'col')))),
    element('tbody', {}, rows.map(row => element('tr', {}, row.map(value => cell('td', value))))));
}

/** The terms and values of a list of facts; what is null is left out. */
export function facts(pairs) {
  return pairs.filter(pair => pair).flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]);
}

/** Asks before something is done that cannot be undone; resolves to whether the person agreed. */
export function agreed(question, action) {
  return new Promise(resolve => {
    const yes = element('button.main', {type: 'submit', value: 'yes'}, action);
    const dialog = element('dialog', {'aria-label': question},
      element('form', {method: 'dialog'}, element('p', {}, question),
        element('div.row', {}, element('button', {type: 'submit', value: 'no'}, text('cancel')), yes)));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
    yes.focus();
  });
}

/** A bar that is filled by a share from 0 to 1. */
export function bar(share, kind = '') {
  const filled = element('i');
  filled.style.width = `${(Math.min(1, Math.max(0, share)) * 100).toFixed(1)}%`;
  return element(kind ? `span.bar.${kind}` : 'span.bar', {'aria-hidden': 'true'}, filled);
}

/** The address of a rule's page, perhaps with one of its keys. */
export function ruleLink(rule, key) {
  const query = new URLSearchParams({name: rule});
  if (key !== undefined) query.set('key', key);
  return `/rule?${query}`;
}

/** The address of a key's page. A key that is too long to be listed is found by its beginning and hash. */
export function keyLink(entry) {
  return entry.shortened ? `/rule?${new URLSearchParams({name: entry.rule, shortened: entry.key})}` : ruleLink(entry.rule, entry.key);
}

const MAX_SHOWN = 300;

/** A key as a text that can be told from others: even if it is empty, and with what else nobody would see. */
export const keyText = key => (key === '' ? text('emptyKey') : key.length > MAX_SHOWN ? `${keyText(key.slice(0, MAX_SHOWN))}…`
  : key.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, character => `\\u{${character.codePointAt(0).toString(16)}}`));

/** A listed key as a text. */
export const listedKey = entry => (entry.shortened ? `${keyText(entry.key)}…` : keyText(entry.key));

const given = new WeakMap();

/** Puts a value into a field. The field shows one line of it, but has all of it until somebody changes it. */
export function setField(field, value) {
  field.value = value;
  given.set(field, {value, shown: field.value});
}

/** The value of a field. */
export function fieldValue(field) {
  const whole = given.get(field);
  return whole?.shown === field.value ? whole.value : field.value;
}

// ---- Numbers and times

/** A number with at most so many digits after its point. */
export function number(value, digits = 0) {
  return value === null || value === undefined ? '–'
    : new Intl.NumberFormat(current, {maximumFractionDigits: digits}).format(value);
}

/** A rate: more digits if it is small. */
export const rate = value =>
  number(value, value === null || value === undefined || value >= 100 ? 0 : value >= 10 ? 1 : 2);

/** A share from 0 to 1 as a percentage. */
export function percent(share, digits = 1) {
  return share === null || share === undefined ? '–'
    : new Intl.NumberFormat(current, {style: 'percent', maximumFractionDigits: digits}).format(share);
}

/** Bytes in the unit that fits. */
export function bytes(count) {
  if (count === null || count === undefined) return '–';
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let value = count;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${number(value, value < 10 && unit > 0 ? 1 : 0)} ${units[unit]}`;
}

/** A duration in words. */
export function duration(millis) {
  if (millis === null || millis === undefined) return text('never');
  if (millis < 1000) return text('millis', {n: number(millis)});
  const seconds = millis / 1000;
  if (seconds < 60) return text('seconds', {n: number(seconds, seconds < 10 ? 1 : 0)});
  if (seconds < 3600) return text('minutes', {n: number(seconds / 60, 1)});
  if (seconds < 86400) return text('hours', {n: number(seconds / 3600, 1)});
  return text('days', {n: number(seconds / 86400, 1)});
}

/** A point in time, from text or milliseconds since 1970. */
export function time(at, style = {dateStyle: 'medium', timeStyle: 'medium'}) {
  return new Intl.DateTimeFormat(current === 'zh' ? 'zh-CN' : 'en-GB', style).format(new Date(at));
}
