// The live page: what the limits in force are doing now, and did in the last minutes and hours.

import {
  text, loadTexts, onLanguage, api, repeat, element, say, note, put, keep, table, facts, bar, ruleLink, keyLink, listedKey, number, rate,
  percent, bytes, duration, time,
} from './page.js';
import {Chart, Legend, named, parts} from './charts.js';

try {
  await loadTexts();
} catch (e) {
  note('trouble', e.message, 'bad');
}

const CARDS = 24;
const REFRESHED_AT_ONCE = 2;
const MINUTE = 60_000;

let span = '15m';
let live = null;
let figures = null;
let limit = CARDS;
const cards = new Map();
const visible = new Set();
let point = null;
const allLegend = new Legend(document.getElementById('all-legend'));
const allChart = new Chart(document.getElementById('all-chart'), {
  whole: true,
  onPoint(at) {
    point = at;
    showPoint();
  },
});

const seen = new IntersectionObserver(entries => {
  for (const entry of entries) {
    if (entry.isIntersecting) visible.add(entry.target.dataset.rule);
    else visible.delete(entry.target.dataset.rule);
  }
  if ([...visible].some(name => cards.get(name)?.drawn === 0)) redraw();
});

const history = rule =>
  api(`/v1/history?span=${span}${rule === null ? '' : `&rule=${encodeURIComponent(rule)}`}`);

// ---- What is asked for

/** Each second the large chart, and some of the small ones that can be seen, those first that are oldest. */
async function charts() {
  const whole = await history(null);
  allChart.show(whole, text('allRequests'));
  showPoint();
  const oldest = [...visible].map(name => cards.get(name)).filter(card => card).sort((a, b) => a.drawn - b.drawn);
  const fresh = oldest.filter(card => card.drawn === 0).length;
  for (const card of oldest.slice(0, Math.max(REFRESHED_AT_ONCE, Math.min(fresh, CARDS)))) {
    card.drawn = performance.now();
    const its = await history(card.name);
    if (its.series) card.chart.show(its, card.name); // a rule named * has none
  }
}

// ---- What is shown

function showAll() {
  showServers();
  showFigures();
  showKeys();
  showRules();
  showStore();
  showPoint();
}

function showServers() {
  const servers = live.servers ?? [];
  const here = servers.filter(server => server.up !== false);
  const gone = servers.filter(server => server.up === false);
  say('servers', servers.length > 1
    ? text('serversOfFleet', {n: here.length, ids: here.map(server => server.id).join(', ')})
    : text('oneServer'));
  say('gone', gone.length === 0 ? '' : text('serversGone', {ids: gone.map(server => server.id).join(', ')}));
  note('policy', live.failurePolicy?.working
    ? text('policyWorking', {policy: live.failurePolicy.policy ?? ''})
    : live.store?.sharing === false ? text('notSharing') : null, 'warn');
}

function showPoint() {
  const values = point ? point.values : allChart.latest ?? {};
  allLegend.show(named(allChart.latest ?? {}), values);
  say('point', point ? time(point.at * 1000, {timeStyle: 'medium'}) : text('perSecondNow'));
}

function showFigures() {
  if (!figures) return;
  say('qps', rate(figures.qps?.now));
  say('qps-more', text('meanOfMinute', {n: rate(figures.qps?.['1m'])}));
  const times = figures.responseMs ?? {};
  say('p99', millis(times.p99));
  say('time-more', text('otherTimes', {p50: millis(times.p50), p999: millis(times.p999)}));
  say('concurrent', number(figures.concurrent?.now));
  say('concurrent-more', text('mostInMinute', {n: number(figures.concurrent?.max1m)}));
  const windows = figures.availability?.windows ?? [];
  const longest = windows[windows.length - 1];
  say('availability', longest ? percent(longest.availability, 4) : '–');
  say('availability-more', longest
    ? text('budgetLeft', {n: minutes(longest.budgetLeftMinutes), window: text(`window${longest.name}`)}) : '');
  showBudget(figures.availability, windows);
}

function millis(value) {
  if (value === null || value === undefined) return '–';
  return value < 1 ? text('micros', {n: number(value * 1000)}) : text('millis', {n: number(value, value < 10 ? 1 : 0)});
}

const minutes = value => (value === null || value === undefined ? '–'
  : Math.abs(value) < 1 ? duration(Math.max(0, value) * MINUTE) : text('minutes', {n: number(value, 1)}));

const leftOf = window => (window.budgetLeftMinutes > 0
  ? text('leftOf', {left: minutes(window.budgetLeftMinutes), of: minutes(window.budgetMinutes)})
  : text('usedUp', {of: minutes(window.budgetMinutes)}));

function showBudget(availability, windows) {
  say('target', availability ? text('target', {share: percent(availability.target, 4)}) : '');
  put('budget', table(
    [text('window'), [text('availability')], text('budgetUsed'), [text('burnRate')]],
    windows.map(window => {
      const used = window.budgetMinutes > 0 ? 1 - window.budgetLeftMinutes / window.budgetMinutes : 0;
      return [
        text(`window${window.name}`),
        [percent(window.availability, 5)],
        element('div', {}, bar(used, used >= 1 ? 'bad' : used > 0.5 ? 'warn' : ''),
          element('span.small.dim', {}, leftOf(window))),
        [element(window.burnRate > 1 ? 'b.bad' : 'span', {}, text('times', {n: number(window.burnRate, 2)}))],
      ];
    })));
}

/** A limit of Envoy has no page, and neither have its keys. */
function keyRow(entry, last) {
  const isRule = live.rules.some(rule => rule.name === entry.rule && !rule.envoy);
  return [
    isRule ? element('a', {href: ruleLink(entry.rule)}, entry.rule) : entry.rule,
    isRule ? element('a.key', {href: keyLink(entry)}, listedKey(entry)) : element('span.key', {}, listedKey(entry)),
    [last],
  ];
}

function showKeys() {
  keep('limited', JSON.stringify(live.limitedKeys), () => table(
    [text('rule'), text('key'), [text('denials')]],
    (live.limitedKeys ?? []).map(entry => keyRow(entry, number(entry.denials ?? entry.atLeast))),
    text('noLimitedKeys')));
  keep('hot', JSON.stringify(live.hotKeys), () => table(
    [text('rule'), text('key'), [text('requestsPerSecond')]],
    (live.hotKeys ?? []).map(entry => keyRow(entry, rate(entry.perSecond))),
    text('noHotKeys')));
}

// ---- The cards of rules

function showRules() {
  const filter = document.getElementById('filter').value.trim().toLowerCase();
  const rules = (live.rules ?? []).filter(rule => rule.name.toLowerCase().includes(filter));
  const few = rules.length <= limit ? rules : busiest(rules);
  say('rules-count', rules.length > few.length ? text('shownOf', {n: few.length, of: rules.length}) : '');
  const more = document.getElementById('more');
  more.hidden = rules.length <= few.length;
  say(more, text('showMore', {n: Math.min(CARDS, rules.length - few.length)}));
  const names = new Set(few.map(rule => rule.name));
  for (const [name, card] of cards) {
    if (!names.has(name)) removeCard(name, card);
  }
  const grid = document.getElementById('rules-grid');
  few.forEach((rule, i) => {
    const card = cards.get(rule.name) ?? addCard(rule);
    if (grid.children[i] !== card.root) grid.insertBefore(card.root, grid.children[i] ?? null);
    updateCard(card, rule);
  });
}

/** The rules with most requests, in the order of the file; those that are shown stay while they have any. */
function busiest(rules) {
  const weight = rule => Object.values(rule.perSecond).reduce((a, b) => a + b, 0);
  const chosen = new Set([...rules].sort((a, b) => weight(b) - weight(a) || (cards.has(b.name) ? 1 : 0) - (cards.has(a.name) ? 1 : 0))
    .slice(0, limit).map(rule => rule.name));
  return rules.filter(rule => chosen.has(rule.name));
}

function addCard(rule) {
  const box = element('div.chart.small');
  const list = element('ul.legend');
  const limits = element('p.limits');
  const hot = element('span.tag.warn');
  const root = element('article.card.rule', {},
    element('div.title', {}, element('h3', {}, rule.envoy ? rule.name : element('a', {href: ruleLink(rule.name)}, rule.name)), hot), limits, box, list);
  root.dataset.rule = rule.name;
  const card = {name: rule.name, root, limits, hot, legend: new Legend(list), chart: new Chart(box, {small: true}), drawn: 0};
  cards.set(rule.name, card);
  seen.observe(root);
  return card;
}

function removeCard(name, card) {
  seen.unobserve(card.root);
  visible.delete(name);
  card.chart.remove();
  card.root.remove();
  cards.delete(name);
}

function updateCard(card, rule) {
  say(card.limits, rule.limits?.length ? rule.limits.join(', ') : text('unlimited'));
  card.hot.hidden = !rule.hotKeys;
  say(card.hot, text('hotKeysCount', {n: rule.hotKeys ?? 0}));
  const rates = parts(rule.perSecond, false);
  card.legend.show(named(rates), rates);
}

// ---- The store

function showStore() {
  const store = live.store ?? {};
  keep('store-state', String(store.up), () =>
    element(store.up ? 'span.tag.good' : 'span.tag.bad', {}, text(store.up ? 'answers' : 'doesNotAnswer')));
  keep('store', JSON.stringify([store.kind, store.keys, store.bytes, store.maxBytes]), () => facts([
    [text('kind'), text(store.kind === 'redis' ? 'kindRedis' : 'kindMemory')],
    store.keys === null || store.keys === undefined ? null : [text('keys'), number(store.keys)],
    store.bytes === null || store.bytes === undefined ? null
      : [text('memory'), store.maxBytes ? text('usedOf', {used: bytes(store.bytes), of: bytes(store.maxBytes)}) : bytes(store.bytes)],
  ]));
  const nodes = store.nodes ?? [];
  document.getElementById('nodes').hidden = nodes.length === 0;
  keep('nodes', JSON.stringify(nodes), () => table(
    [text('node'), text('breaker'), [text('underWay')]],
    nodes.map(node => [
      element('span.key', {}, node.address),
      element(node.breaker === 'closed' ? 'span.tag.good' : 'span.tag.bad', {}, text(`breaker-${node.breaker}`)),
      [number(node.underWay)],
    ])));
  const sources = Object.entries(live.sources ?? {});
  const sum = sources.reduce((total, [, value]) => total + value, 0);
  keep('sources', JSON.stringify(sources), () => table(
    [text('source'), text('share'), [text('perSecond')]],
    sources.map(([name, value]) => [
      text(`source-${name}`), bar(sum > 0 ? value / sum : 0, name === 'failure-policy' ? 'bad' : ''), [rate(value)],
    ]), text('noRequests')));
}

// ---- What can be chosen

for (const button of document.querySelectorAll('[data-span]')) {
  button.addEventListener('click', () => {
    span = button.dataset.span;
    for (const other of document.querySelectorAll('[data-span]')) {
      other.setAttribute('aria-pressed', String(other === button));
    }
    for (const card of cards.values()) card.drawn = 0;
    redraw();
  });
}
document.getElementById('filter').addEventListener('input', () => live && showRules());
document.getElementById('more').addEventListener('click', () => {
  limit += CARDS;
  showRules();
});
onLanguage(() => live && showAll());

let chartTrouble = null;
const sayTrouble = why => note('trouble', why && text('lost', {why}), 'bad');

repeat(1000, async () => {
  try {
    [live, figures] = await Promise.all([api('/v1/live'), api('/v1/figures')]);
    showAll();
    sayTrouble(chartTrouble);
  } catch (e) {
    sayTrouble(e.message);
  }
});
// By themselves: the charts are many calls, and the figures and keys must not wait for them.
const redraw = repeat(1000, async () => {
  try {
    await charts();
    chartTrouble = null;
  } catch (e) {
    chartTrouble = e.message;
  }
});
