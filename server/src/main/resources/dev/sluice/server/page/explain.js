// The page that explains: which rules apply to a request and why, what each has left, and what would free it.

import {
  here, text, loadTexts, onLanguage, api, element, say, note, put, table, bar, ruleLink, keyText, setField, fieldValue, number, duration, time,
} from './page.js';
import {readRequest, requestOf} from './request.js';

try {
  await loadTexts();
} catch (e) {
  note('trouble', e.message, 'bad');
}

const COMMON = ['ip', 'method', 'path', 'user'];
const MAX_DENIALS = 30;
const LISTEN_PAUSE = 3000;

let answer = null;
let denials = [];
let paused = false;
let compiled = null;
let rows = 0;
let hears = true;

// ---- The form

function addRow(name = '', value = '') {
  const number = ++rows;
  const row = element('div.attribute', {},
    element('input.name', {value: name, spellcheck: false, autocapitalize: 'off'}),
    element('input.value.mono', {spellcheck: false, autocapitalize: 'off'}),
    element('button', {type: 'button', onclick: () => {
      const next = row.nextElementSibling ?? row.previousElementSibling;
      row.remove();
      (next?.querySelector('input') ?? document.getElementById('add')).focus();
    }}, '×'));
  row.dataset.number = number;
  setField(row.querySelector('.value'), value);
  document.getElementById('attributes').append(row);
  nameRow(row);
  return row;
}

function nameRow(row) {
  const [name, value, button] = row.children;
  name.setAttribute('aria-label', text('attributeName', {n: row.dataset.number}));
  value.setAttribute('aria-label', text('attributeValue', {n: row.dataset.number}));
  name.placeholder = text('attribute');
  value.placeholder = text('value');
  button.setAttribute('aria-label', text('removeAttribute', {n: row.dataset.number}));
}

function fillForm(request) {
  put('attributes');
  rows = 0;
  request.attributes.forEach(([name, value]) => addRow(name, value));
  document.getElementById('cost').value = request.cost;
}

function readForm() {
  const attributes = Object.create(null);
  for (const row of document.getElementById('attributes').children) {
    const [name, value] = row.children;
    if (name.value.trim() !== '' && fieldValue(value) !== '') attributes[name.value.trim()] = fieldValue(value);
  }
  return {attributes, cost: Number(document.getElementById('cost').value)};
}

async function ask() {
  const request = readForm();
  try {
    answer = await api('/v1/explain', {method: 'POST', body: request});
    note('trouble', null);
    const query = new URLSearchParams(request.attributes);
    if (request.cost !== 1) query.set('cost', request.cost);
    history.replaceState(null, '', `/explain?${query}`);
  } catch (e) {
    answer = null;
    note('trouble', e.message, 'bad');
  }
  showAnswer();
}

document.getElementById('form').addEventListener('submit', event => {
  event.preventDefault();
  ask();
});
document.getElementById('add').addEventListener('click', () => addRow().querySelector('input').focus());
document.getElementById('take').addEventListener('click', () => {
  const request = readRequest(document.getElementById('paste').value);
  say('paste-trouble', request ? '' : text('notARequest'));
  if (!request) return;
  fillForm(request);
  ask();
});

// ---- The answer

function showAnswer() {
  const tag = document.getElementById('answer-tag');
  if (!answer) {
    put(tag);
    put('answer');
    say('answer-sentence', text('noAnswerYet'));
    return;
  }
  put(tag, element(answer.allowed ? 'span.tag.good' : 'span.tag.bad', {}, text(answer.allowed ? 'wouldAllow' : 'wouldBeDenied')));
  say('answer-sentence', sentence());
  put('answer', answer.applying.map(considered),
    answer.notApplying.length === 0 ? [] : element('details.after', {open: answer.applying.length === 0},
      element('summary', {}, text('notApplying', {n: answer.rules - answer.applying.length})),
      table([text('rule'), text('reason')], answer.notApplying.map(each => [
        element('a', {href: ruleLink(each.rule)}, each.rule), each.reason]))));
}

function sentence() {
  if (answer.applying.length === 0) return text('noRuleApplies');
  if (answer.allowed) return text(answer.degraded ? 'degradedBy' : 'allowedBy', {n: answer.applying.length, rule: answer.decisive ?? ''});
  const decisive = answer.applying.find(each => each.rule === answer.decisive);
  return text('deniedBy', {rule: answer.decisive ?? '', when: freedIn(decisive)});
}

function freedIn(decision) {
  if (!decision || decision.retryAfterMs === undefined) return '';
  return decision.retryAfterMs === null ? text('noWaitHelps') : text('freeIn', {time: duration(decision.retryAfterMs)});
}

function considered(each) {
  const stops = each.outcome !== undefined && each.outcome !== 'allowed';
  return element(stops ? 'div.consider.stops' : 'div.consider', {},
    element('div.title', {},
      element('h3', {}, element('a', {href: ruleLink(each.rule, each.key)}, each.rule)),
      each.outcome ? element(stops ? 'span.tag.bad' : 'span.tag.good', {}, text(each.outcome)) : element('span.tag.good', {}, text('unlimited'))),
    element('p.small', {}, each.reason),
    each.key === undefined ? null : element('p.small', {}, `${text('key')}: `, element('span.key', {}, keyText(each.key))),
    each.override ? element('p.small', {}, text('overrideCounts', {n: each.override})) : null,
    (each.limits ?? []).length === 0 ? null : table(
      [text('limit'), text('used'), [text('left')], [text('freshIn')]],
      each.limits.map(limit => [
        element('span.mono', {}, limit.text ?? number(limit.limit)),
        bar(limit.limit > 0 ? (limit.limit - limit.remaining) / limit.limit : 1, limit.remaining === 0 ? 'bad' : ''),
        [text('leftOfShort', {left: number(limit.remaining), of: number(limit.limit)})],
        [limit.resetAfterMs === null ? '–' : duration(limit.resetAfterMs)],
      ])),
    stops ? element('p.after', {}, element('b', {}, `${text('whatFrees')} `),
      each.outcome === 'never' || each.retryAfterMs === null ? text('noWaitHelps') : text('waitOrReset', {time: duration(each.retryAfterMs)}),
      ' ', element('a', {href: ruleLink(each.rule, each.key)}, text('openKey'))) : null);
}

// ---- Denials to pick from

let stream = null;

/** A browser tries again by itself after a connection that broke, but not after a refusal. */
function listen() {
  stream?.close();
  const mine = new EventSource(here('/v1/events'));
  stream = mine;
  mine.addEventListener('open', () => hearing(true));
  mine.addEventListener('error', () => {
    hearing(false);
    if (mine.readyState === EventSource.CLOSED) setTimeout(() => stream === mine && listen(), LISTEN_PAUSE);
  });
  mine.addEventListener('denied', event => {
    if (paused) return;
    const denial = JSON.parse(event.data);
    denials = [denial, ...denials.filter(each => each.rule !== denial.rule || each.key !== denial.key)].slice(0, MAX_DENIALS);
    schedule();
  });
}

function hearing(now) {
  hears = now;
  say('denials-trouble', hears ? '' : text('denialsLost'));
}

addEventListener('pagehide', () => {
  stream?.close();
  stream = null;
});
addEventListener('pageshow', event => event.persisted && listen());

let drawing = false;

/** At most once in a while, and not while somebody is choosing. */
function schedule() {
  if (drawing) return;
  drawing = true;
  setTimeout(() => {
    drawing = false;
    if (!document.activeElement?.closest?.('#denials')) showDenials();
  }, 400);
}

function showDenials() {
  put('denials', denials.length === 0 ? element('li.empty', {}, text('noDenialsYet')) : denials.map(denial => element('li', {},
    element('button', {type: 'button', onclick: () => pick(denial)},
      element('span', {}, element('b', {}, denial.rule), ' ', element('span.key', {}, keyText(denial.key))),
      element('span.small.dim', {}, `${text(denial.outcome)} · ${time(denial.when, {timeStyle: 'medium'})}`)))));
}

async function pick(denial) {
  try {
    compiled ??= await api('/v1/rules?compiled');
    let rule = compiled.rules.find(each => each.name === denial.rule);
    if (!rule) {
      compiled = await api('/v1/rules?compiled');
      rule = compiled.rules.find(each => each.name === denial.rule);
    }
    if (!rule) {
      note('trouble', text('noSuchRule', {name: denial.rule}), 'bad');
      return;
    }
    fillForm(requestOf(rule, denial.key));
    await ask();
  } catch (e) {
    note('trouble', e.message, 'bad');
  }
}

function namePause() {
  const button = document.getElementById('pause');
  button.setAttribute('aria-pressed', String(paused));
  say(button, text('pause'));
}

document.getElementById('pause').addEventListener('click', () => {
  paused = !paused;
  namePause();
});
onLanguage(() => {
  for (const row of document.getElementById('attributes').children) nameRow(row);
  showAnswer();
  showDenials();
  namePause();
  hearing(hears);
});

const given = new URLSearchParams(location.search);
if ([...given].length > 0) {
  fillForm({attributes: [...given].filter(([name]) => name !== 'cost'), cost: given.get('cost') ?? 1});
  ask();
} else {
  fillForm({attributes: COMMON.map(name => [name, '']), cost: 1});
}
showAnswer();
showDenials();
namePause();
listen();
