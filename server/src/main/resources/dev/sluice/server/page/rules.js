// The page of the rule file: edit it, see what is wrong with it, try it on recorded requests, apply it, roll back.

import {text, loadTexts, onLanguage, api, repeat, element, say, note, put, table, agreed, keyText, number, time} from './page.js';
import {lineDiff, diffTable} from './diff.js';

try {
  await loadTexts();
} catch (e) {
  note('trouble', e.message, 'bad');
}

const CHECK_PAUSE = 300;

const area = document.getElementById('text');
const buttons = {apply: document.getElementById('apply'), try: document.getElementById('try'), discard: document.getElementById('discard')};
/** The version that the person began with, which an apply must find in force. */
let base = null;
/** A version that came into force meanwhile. */
let newer = null;
let versions = [];
/** What is wrong with the text, or was before the last key; and whether it is of the text as it is. */
let checked = null;
let fresh = false;
let checking = 0;
let checkTimer = 0;
let trial = null;
let compared = null;
let busy = false;

/** A text as the editor has it: with one kind of line end. */
const asEdited = content => content.replace(/\r\n?/g, '\n');
/** The text of the editor, with the line ends of the version it began with. */
const written = () => (base?.text.includes('\r\n') ? area.value.replaceAll('\n', '\r\n') : area.value);
const changed = () => base !== null && area.value !== asEdited(base.text);
let looks = 0;

// ---- The version in force

async function look() {
  const mine = ++looks;
  const [inForce, all] = await Promise.all([api('/v1/rules'), api('/v1/rules/versions')]);
  if (mine !== looks) return; // what was in force before something was applied
  versions = all.versions;
  if (base === null || (!changed() && inForce.etag !== base.etag)) {
    startFrom(inForce);
  } else if (inForce.etag !== base.etag && inForce.text === base.text) {
    base = inForce; // a server that was started anew
    newer = null;
  } else if (inForce.etag !== base.etag) {
    newer = inForce;
  } else {
    newer = null;
    base = {...base, lastError: inForce.lastError};
  }
  showVersion();
  showConflict();
  showHistory();
}

/** Begins anew with a version: its text is in the editor. */
function startFrom(version) {
  base = version;
  newer = null;
  compared = null;
  area.value = asEdited(version.text);
  edited();
}

function showVersion() {
  say('version', text('versionBy', {n: base.version, who: base.who, when: time(base.when)}));
  const bad = base.lastError;
  const box = document.getElementById('last-error');
  box.hidden = !bad;
  if (bad) {
    put(box, element('div', {}, text('lastError', {where: bad.where, when: time(bad.when)})),
      element('ul', {}, bad.problems.slice(0, 5).map(problem => element('li.small', {}, problem.line
        ? text('atLine', {line: problem.line, message: problem.message}) : problem.message))));
  }
}

// ---- Two people at once

function showConflict() {
  const box = document.getElementById('conflict');
  const state = newer && `${newer.etag} ${document.documentElement.lang}`;
  if (box.dataset.state === String(state)) return;
  box.dataset.state = String(state);
  box.hidden = newer === null;
  put(box);
  if (newer === null) return;
  put(box,
    element('div', {}, text('changedMeanwhile', {n: newer.version, who: newer.who, when: time(newer.when)})),
    element('div.row', {},
      element('button', {type: 'button', id: 'compare-theirs', onclick: () => compare(newer)}, text('compareTheirs')),
      element('button', {type: 'button', id: 'keep-mine', onclick: keepMine}, text('keepMine')),
      element('button', {type: 'button', id: 'take-theirs', onclick: takeTheirs}, text('takeTheirs'))));
}

function compare(version) {
  compared = version;
  showDiff();
  document.getElementById('diff-title').scrollIntoView({block: 'center'});
}

/** The text stays, and the next apply replaces their version, which the difference now shows. */
function keepMine() {
  base = newer;
  newer = null;
  compared = null;
  showVersion();
  showConflict();
  edited();
  area.focus();
}

function takeTheirs() {
  startFrom(newer);
  showVersion();
  showConflict();
  area.focus();
}

// ---- Editing

area.addEventListener('input', () => {
  note('done', null);
  edited();
});
area.addEventListener('scroll', follow);

function follow() {
  document.getElementById('gutter').scrollTop = area.scrollTop;
  const under = document.getElementById('under');
  under.scrollTop = area.scrollTop;
  under.scrollLeft = area.scrollLeft;
}

function edited() {
  trial = null;
  showTrial();
  showDiff();
  fresh = false;
  showLines();
  enable();
  clearTimeout(checkTimer);
  checkTimer = setTimeout(check, CHECK_PAUSE);
}

async function check() {
  const turn = ++checking;
  const content = area.value;
  try {
    const answer = await api('/v1/rules/check', {method: 'POST', body: content});
    if (turn !== checking || area.value !== content) return;
    checked = answer;
    fresh = true;
    note('trouble', null);
  } catch (e) {
    if (turn !== checking) return;
    checked = null;
    note('trouble', e.message, 'bad');
  }
  showVerdict();
  showLines();
  showProblems();
  enable();
}

function showVerdict() {
  const target = document.getElementById('verdict');
  area.setAttribute('aria-invalid', String(checked?.ok === false));
  if (!checked) {
    say(target, '');
    return;
  }
  target.className = `small ${checked.ok ? 'good' : 'bad'}`;
  const first = checked.problems?.[0];
  say(target, checked.ok ? text(checked.warnings?.length ? 'okWithWarnings' : 'ok', {rules: checked.rules, warnings: checked.warnings?.length ?? 0})
    : text('wrong', {n: checked.problems.length, line: first?.line ?? 1}));
}

/** Marks by line: problems, and else warnings. */
function marks() {
  const byLine = new Map();
  for (const problem of checked?.ok ? checked.warnings ?? [] : checked?.problems ?? []) {
    const line = problem.line ?? 1;
    byLine.set(line, [...(byLine.get(line) ?? []), problem.message.replace(/^[\w.[\]-]+: /, '')]);
  }
  return byLine;
}

function showLines() {
  const lines = area.value.split('\n');
  const byLine = marks();
  const kind = checked?.ok ? 'doubt' : 'wrong';
  const numbers = document.createDocumentFragment();
  const under = document.createDocumentFragment();
  lines.forEach((line, i) => {
    const why = byLine.get(i + 1);
    numbers.append(element(why ? `div.${kind}` : 'div', {}, String(i + 1)));
    under.append(element(why ? `div.${kind}` : 'div', {}, element('span.text', {}, line),
      why ? element('span.why', {}, `● ${why.join('; ')}`) : null));
  });
  put('gutter', numbers);
  put('under', under);
  follow();
}

function showProblems() {
  const all = (checked?.ok ? checked.warnings : checked?.problems) ?? [];
  put('problems', all.map(problem => element('li', {},
    element('button.plain', {type: 'button', onclick: () => goTo(problem)},
      problem.line ? text('atLine', {line: problem.line, message: problem.message}) : problem.message),
    problem.suggestion ? [' ', element('button', {type: 'button', onclick: () => mend(problem)}, text('useInstead', {suggestion: problem.suggestion}))] : null)));
}

function offsetOf(problem) {
  const lines = area.value.split('\n').slice(0, Math.max(0, (problem.line ?? 1) - 1));
  return lines.reduce((sum, line) => sum + line.length + 1, 0) + Math.max(0, (problem.column ?? 1) - 1);
}

function goTo(problem) {
  const at = offsetOf(problem);
  area.focus();
  area.setSelectionRange(at, at);
  area.scrollTop = Math.max(0, ((problem.line ?? 1) - 5) * 20);
}

/** Writes the suggestion in place of the word that it is for, at or after the place of the problem. */
function mend(problem) {
  const line = offsetOf({line: problem.line});
  const end = area.value.indexOf('\n', line) < 0 ? area.value.length : area.value.indexOf('\n', line);
  const written = problem.written ?? '';
  let at = written === '' ? -1 : area.value.indexOf(written, Math.max(line, offsetOf(problem)));
  if (at < 0 || at >= end) at = written === '' ? -1 : area.value.indexOf(written, line);
  if (at < 0 || at >= end) {
    goTo(problem);
    return;
  }
  area.focus();
  area.setRangeText(problem.suggestion, at, at + written.length, 'end');
  edited();
}

function enable() {
  buttons.apply.disabled = busy || !changed() || !fresh || !checked?.ok;
  buttons.try.disabled = busy || !fresh || !checked?.ok;
  buttons.discard.disabled = busy || !changed();
}

// ---- The difference

function showDiff() {
  const other = compared ?? base;
  if (other === null) return;
  const lines = lineDiff(asEdited(other.text), area.value);
  const added = lines.filter(line => line.kind === 'in').length;
  const removed = lines.filter(line => line.kind === 'out').length;
  say('diff-count', compared ? text('againstVersion', {n: compared.version}) : text('againstInForce'));
  put('diff', added + removed === 0 ? element('p.empty', {}, text('noDifference'))
    : [element('p.small.dim', {}, text('diffCounts', {added, removed})), diffTable(lines, text('changedLines'))]);
}

// ---- Trying, applying, rolling back

async function work(task) {
  busy = true;
  enable();
  try {
    await task();
    note('trouble', null);
  } catch (e) {
    note('trouble', e.message, 'bad');
  } finally {
    busy = false;
    enable();
  }
}

buttons.try.addEventListener('click', () => work(async () => {
  const content = area.value;
  trial = {running: true};
  showTrial();
  try {
    const answer = await api(`/v1/rules/try?last=${document.getElementById('last').value}`, {method: 'POST', body: content});
    trial = area.value === content ? answer : null;
  } catch (e) {
    trial = {problem: e.message};
  }
  showTrial();
}));

function showTrial() {
  document.getElementById('trial').hidden = trial === null;
  if (trial === null) return;
  say('trial-span', trial.requests === undefined ? '' : text('trialSpan', {
    n: number(trial.requests), from: time(trial.from * 1000, {timeStyle: 'medium'}), to: time(trial.to * 1000, {timeStyle: 'medium'}),
  }));
  if (trial.running) put('trial-result', element('p.empty', {}, text('trying')));
  else if (trial.problem) put('trial-result', element('p', {}, trial.problem));
  else put('trial-result', trialResult());
}

function trialResult() {
  const more = trial.then.denied - trial.now.denied;
  return [
    element('p', {}, text(more > 0 ? 'trialMore' : more < 0 ? 'trialFewer' : 'trialSame',
      {n: number(Math.abs(more)), now: number(trial.now.denied), then: number(trial.then.denied)})),
    ...(trial.notes ?? []).map(said => element('p.small.warn', {}, said)),
    element('div.scroll', {}, table([text('rule'), [text('nowDenied')], [text('wouldDeny')], [text('clients')], text('whom')], trial.rules.map(rule => [
      rule.name, [number(rule.now)], [number(rule.denied)], [number(rule.clients)],
      element('div', {}, rule.topKeys.slice(0, 5).map(top => element('div.small', {},
        element('span.key', {}, keyText(top.key)), ` ${number(top.denied)}`))),
    ]), text('noRules'))),
  ];
}

buttons.apply.addEventListener('click', () => work(async () => {
  const content = written();
  looks++;
  try {
    const applied = await api('/v1/rules', {method: 'PUT', body: content, headers: {'If-Match': `"${base.etag}"`}});
    note('done', text('applied', {n: applied.version}), 'good');
    startFrom({...applied, text: content});
    area.focus();
    await look();
  } catch (e) {
    if (e.status !== 412) throw e;
    await look();
    if (newer) compare(newer);
  }
}));

buttons.discard.addEventListener('click', async () => {
  if (!await agreed(text('discardQuestion'), text('discard'))) return;
  area.value = asEdited(base.text);
  edited();
  area.focus();
});

function showHistory() {
  const state = JSON.stringify([versions, document.documentElement.lang, base?.etag]);
  const target = document.getElementById('history');
  if (target.dataset.state === state) return;
  target.dataset.state = state;
  put(target, table([[text('version')], text('who'), text('when'), text('actions')], versions.map((version, i) => [
    [number(version.version)],
    element('div', {}, version.who, element('div.small.dim', {}, text(`origin-${version.origin}`))),
    time(version.when, {dateStyle: 'short', timeStyle: 'medium'}),
    i === 0 ? element('span.tag.good', {}, text('inForce')) : element('div.row', {},
      element('button', {type: 'button', 'aria-label': text('compareVersion', {n: version.version}), onclick: () => showAgainst(version)}, text('compare')),
      element('button', {type: 'button', 'aria-label': text('rollBackTo', {n: version.version}), onclick: () => rollBack(version)}, text('rollBack'))),
  ])));
}

async function showAgainst(version) {
  await work(async () => compare(await api(`/v1/rules/versions/${version.version}`)));
}

async function rollBack(version) {
  const question = text(changed() ? 'rollBackQuestionEdited' : 'rollBackQuestion', {n: version.version, who: version.who, when: time(version.when)});
  if (!await agreed(question, text('rollBack'))) return;
  await work(async () => {
    const seen = newer ?? base;
    looks++;
    try {
      const applied = await api(`/v1/rules/rollback?version=${version.version}`, {method: 'POST', headers: {'If-Match': `"${seen.etag}"`}});
      note('done', text('rolledBack', {n: version.version, now: applied.version}), 'good');
      if (!changed()) base = null;
    } finally {
      await look();
    }
  });
}

addEventListener('beforeunload', event => {
  if (changed()) event.preventDefault();
});
area.addEventListener('keydown', event => {
  if ((event.ctrlKey || event.metaKey) && event.key === 's') {
    event.preventDefault();
    if (!buttons.apply.disabled) buttons.apply.click();
  }
});
onLanguage(() => {
  if (base === null) return;
  showVersion();
  showConflict();
  showHistory();
  showVerdict();
  showLines();
  showProblems();
  showDiff();
  showTrial();
});
repeat(3000, async () => {
  if (busy) return;
  try {
    await look();
  } catch (e) {
    note('trouble', text('lost', {why: e.message}), 'bad');
  }
});
