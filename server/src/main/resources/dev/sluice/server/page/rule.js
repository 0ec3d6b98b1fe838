// The page of one rule: what it says, what it does, and what one of its keys has used; blocks and overrides of a key.

import {
  text, loadTexts, onLanguage, api, repeat, element, say, note, put, keep, table, facts, agreed, ruleLink, keyLink, keyText, listedKey,
  setField, fieldValue, number, rate, duration, time,
} from './page.js';
import {Chart, Legend, named, parts} from './charts.js';
import {draw} from './drawing.js';

try {
  await loadTexts();
} catch (e) {
  note('trouble', e.message, 'bad');
}

/** What surely fits into an address, whatever its characters. */
const MAX_LINKED = 800;
const query = new URLSearchParams(location.search);
const name = query.get('name') ?? '';
let key = query.has('key') ? query.get('key') : null;
/** What stands for a key that is too long for an address. */
let shortened = query.get('shortened');
let span = '15m';
let rule = null;
let overrides = [];
let live = null;
let shownKey = null;
let point = null;
const legend = new Legend(document.getElementById('legend'));
const chart = new Chart(document.getElementById('chart'), {
  onPoint(at) {
    point = at;
    showLegend();
  },
});
/** In the query: a browser takes the keys . and .. out of a path. */
const keyPath = action =>
  `/v1/keys/${encodeURIComponent(name)}${action}?${new URLSearchParams(shortened === null ? {key} : {shortened})}`;

document.title = `Sluice: ${name}`;
say('name', name);
if (key !== null) setField(document.getElementById('key'), key);

// ---- The rule

async function loadRule() {
  const compiled = await api('/v1/rules?compiled');
  rule = compiled.rules.find(each => each.name === name) ?? null;
  overrides = (compiled.temporaryOverrides ?? []).filter(each => each.rule === name);
  showRule();
}

const condition = each => [
  element('span.mono', {}, `${each.attribute}: `),
  element('span.mono', {}, [each.any.join(' | '), each.none.map(none => `not ${none}`).join(', ')].filter(part => part).join(', ')),
];

function showRule() {
  if (!rule) {
    note('trouble', text('noSuchRule', {name}), 'bad');
    return;
  }
  put('on-exceed', element('span.tag', {}, text(`onExceed-${rule.onExceed}`)));
  put('facts', facts([
    [text('limits'), rule.limits.length === 0 ? text('unlimited') : rule.limits.map(limit => element('div.mono', {}, limit.text))],
    [text('appliesTo'), rule.when.length === 0 ? text('everyRequest') : rule.when.map(each => element('div', {}, condition(each)))],
    [text('keyOf'), rule.key.length === 0 ? text('oneKeyForAll') : element('span.mono', {}, rule.key.join(' | '))],
    rule.maxWait ? [text('maxWait'), rule.maxWait] : null,
    [text('onStoreFailure'), element('span.mono', {}, rule.onStoreFailure)],
    rule.overrides.length === 0 ? null : [text('overridesInFile'), rule.overrides.map(each => element('div', {},
      each.when.flatMap(condition), element('span.mono', {}, ` → ${each.limits.map(limit => limit.text).join(', ') || text('unlimited')}`)))],
  ]));
  say('key-label', rule.key.length === 0 ? text('keyEmptyLabel') : text('keyMadeOf', {attributes: rule.key.join(' | ')}));
  document.getElementById('overrides-card').hidden = overrides.length === 0;
  put('overrides', table([text('key'), text('kind'), text('until'), text('who'), text('why')], overrides.map(each => [
    each.key.length > MAX_LINKED ? element('span.key', {}, keyText(each.key))
      : element('a.key', {href: ruleLink(name, each.key)}, keyText(each.key)),
    each.kind === 'block' ? text('blocked') : each.limits.join(', '),
    time(each.until), each.who, each.why ?? '',
  ])));
}

// ---- What it does

function showLegend() {
  const now = parts(live?.rules?.find(each => each.name === name)?.perSecond ?? {}, false);
  legend.show(named({...chart.latest, ...now}), point ? point.values : now);
  say('point', point ? time(point.at * 1000, {timeStyle: 'medium'}) : text('perSecondNow'));
}

function showKeys() {
  const link = each => element('a.key', {href: keyLink(each)}, listedKey(each));
  const limited = (live.limitedKeys ?? []).filter(each => each.rule === name);
  const hot = (live.hotKeys ?? []).filter(each => each.rule === name);
  keep('limited', JSON.stringify(limited), () => table([text('key'), [text('denials')]],
    limited.map(each => [link(each), [number(each.denials ?? each.atLeast)]]), text('noLimitedKeys')));
  keep('hot', JSON.stringify(hot), () => table([text('key'), [text('requestsPerSecond')]],
    hot.map(each => [link(each), [rate(each.perSecond)]]), text('noHotKeys')));
}

// ---- One key

async function loadKey() {
  if (key === null && shortened === null) return;
  const path = keyPath('');
  try {
    const answer = await api(path);
    if (path !== keyPath('')) return; // another key was asked for meanwhile
    shownKey = answer;
    if (key === null) {
      key = shownKey.key;
      setField(document.getElementById('key'), key);
    }
    note('key-trouble', null);
    showKey();
  } catch (e) {
    if (path !== keyPath('')) return;
    shownKey = null;
    document.getElementById('key-shown').hidden = true;
    put('key-outcome');
    note('key-trouble', e.message, 'bad');
  }
}

function showKey() {
  if (!shownKey) return;
  document.getElementById('key-shown').hidden = false;
  const blocked = shownKey.override?.kind === 'block';
  const stops = blocked || shownKey.outcome !== 'allowed';
  keep('key-outcome', String([stops, blocked]), () => element(stops ? 'span.tag.bad' : 'span.tag.good', {},
    text(blocked ? 'blocked' : stops ? 'nextDenied' : 'nextAllowed')));
  say('key-sentence', keySentence(blocked, stops));
  put('state', (shownKey.limits ?? []).map((decision, i) => {
    return element('div.limit', {},
      element('div.title', {}, element('h3.mono', {}, decision.text ?? text('limitNumber', {n: i + 1})),
        element('span.small.dim.number', {}, text('leftOfLimit', {left: number(decision.remaining), of: number(decision.limit)}))),
      draw(shownKey.state?.find(each => each.limit === decision.text), decision));
  }));
  const override = shownKey.override;
  keep('key-override', JSON.stringify(override), () => (override ? overrideNote(override) : []));
}

function keySentence(blocked, stops) {
  if (blocked) return text('blockedSentence', {until: time(shownKey.override.until)});
  if (!shownKey.limits?.length) return text('unlimitedSentence');
  if (!stops) return text('allowedSentence', {n: number(shownKey.remaining)});
  return shownKey.retryAfterMs === null ? text('neverSentence')
    : text('deniedSentence', {time: duration(shownKey.retryAfterMs)});
}

function overrideNote(override) {
  const sentenceOf = override.kind === 'block' ? 'blockBy' : 'overrideBy';
  return element('div.note.warn.after', {},
    element('div', {}, text(sentenceOf, {who: override.who, until: time(override.until), limits: (override.limits ?? []).join(', ')})),
    override.why ? element('div', {}, text('because', {why: override.why})) : null,
    element('div.row', {}, element('button', {type: 'button', onclick: () => change('DELETE', `/${override.kind}`, undefined, text('ended'))},
      text(override.kind === 'block' ? 'endBlock' : 'endOverride'))));
}

async function change(method, path, body, done) {
  try {
    const answer = await api(keyPath(path), {method, body});
    note('key-trouble', answer && answer.everywhere === false ? text('notEverywhere') : null, 'warn');
    say('done', done);
    await Promise.all([loadRule(), loadKey()]);
  } catch (e) {
    note('key-trouble', e.message, 'bad');
  }
}

function members(form) {
  const values = Object.fromEntries(new FormData(form));
  const body = {for: values.for.trim()};
  if (values.why.trim() !== '') body.why = values.why.trim();
  if (values.limits !== undefined) body.limits = values.limits.split(',').map(limit => limit.trim()).filter(limit => limit);
  return body;
}

document.getElementById('key-form').addEventListener('submit', event => {
  event.preventDefault();
  const asked = fieldValue(document.getElementById('key'));
  if (asked !== key) {
    key = asked;
    shortened = null;
    history.replaceState(null, '', ruleLink(name, key));
  }
  loadKey();
});
document.getElementById('block-form').addEventListener('submit', event => {
  event.preventDefault();
  change('PUT', '/block', members(event.target), text('blockedDone'));
});
document.getElementById('override-form').addEventListener('submit', event => {
  event.preventDefault();
  change('PUT', '/override', members(event.target), text('overriddenDone'));
});
document.getElementById('reset').addEventListener('click', async () => {
  if (await agreed(text('resetQuestion', {key: keyText(key)}), text('resetKey'))) change('DELETE', '', undefined, text('resetDone'));
});
for (const button of document.querySelectorAll('[data-span]')) {
  button.addEventListener('click', () => {
    span = button.dataset.span;
    for (const other of document.querySelectorAll('[data-span]')) {
      other.setAttribute('aria-pressed', String(other === button));
    }
    refresh();
  });
}
onLanguage(() => {
  showRule();
  if (live) showKeys();
  showLegend();
  showKey();
});

let turns = 0;
const refresh = repeat(1000, async () => {
  try {
    if (turns++ % 5 === 0 || !rule) await loadRule();
    const its = await api(`/v1/history?span=${span}&rule=${encodeURIComponent(name)}`);
    if (its.series) chart.show(its, name); // a rule named * has none
    live = await api('/v1/live');
    showKeys();
    showLegend();
    await loadKey();
    if (rule) note('trouble', null);
  } catch (e) {
    note('trouble', text('lost', {why: e.message}), 'bad');
  }
});
