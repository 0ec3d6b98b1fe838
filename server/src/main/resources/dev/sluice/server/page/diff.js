// The difference between two texts, line by line.

import {element, text} from './page.js';

/** Each step keeps what the one before reached: memory and time grow with the square. */
const MAX_STEPS = 600;
const CONTEXT = 3;

/**
 * The lines of both texts in order: {kind: 'same' | 'out' | 'in', line, before, after}, with the numbers from 1 that the
 * line has in each. It is a shortest one (Myers, "An O(ND) Difference Algorithm", 1986), unless hundreds of lines differ:
 * then all of the first that are not at its beginning or end are out, and all of the second in.
 */
export function lineDiff(beforeText, afterText) {
  const before = beforeText.split('\n');
  const after = afterText.split('\n');
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const a = before.slice(start, before.length - end);
  const b = after.slice(start, after.length - end);
  const lines = [];
  let atBefore = 0;
  let atAfter = 0;
  const same = line => lines.push({kind: 'same', line, before: ++atBefore, after: ++atAfter});
  before.slice(0, start).forEach(same);
  for (const step of steps(a, b)) {
    if (step.kind === 'same') same(step.line);
    else if (step.kind === 'out') lines.push({kind: 'out', line: step.line, before: ++atBefore});
    else lines.push({kind: 'in', line: step.line, after: ++atAfter});
  }
  before.slice(before.length - end).forEach(same);
  return lines;
}

function steps(a, b) {
  const all = (kind, lines) => lines.map(line => ({kind, line}));
  const trace = [];
  let reach = new Map([[1, 0]]);
  for (let d = 0; d <= Math.min(a.length + b.length, MAX_STEPS); d++) {
    trace.push(new Map(reach));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
      let x = down ? reach.get(k + 1) ?? 0 : (reach.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack(a, b, trace);
    }
  }
  return [...all('out', a), ...all('in', b)];
}

function walkBack(a, b, trace) {
  const path = [];
  let x = a.length;
  let y = b.length;
  for (let d = trace.length - 1; d >= 0; d--) {
    const reach = trace[d];
    const k = x - y;
    const down = k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1));
    const fromK = down ? k + 1 : k - 1;
    const fromX = reach.get(fromK) ?? 0;
    const fromY = fromX - fromK;
    while (x > fromX && y > fromY && x > 0 && y > 0) path.push({kind: 'same', line: a[--x], second: --y});
    if (d > 0) path.push(down ? {kind: 'in', line: b[--y]} : {kind: 'out', line: a[--x]});
  }
  return path.reverse();
}

/** A difference as a table, without the lines that are far from a change. */
export function diffTable(lines, label) {
  const near = new Array(lines.length).fill(false);
  lines.forEach((line, i) => {
    if (line.kind !== 'same') near.fill(true, Math.max(0, i - CONTEXT), i + CONTEXT + 1);
  });
  const rows = [];
  for (let i = 0; i < lines.length; i++) {
    if (near[i]) {
      rows.push(row(lines[i]));
      continue;
    }
    let end = i;
    while (end < lines.length && !near[end]) end++;
    rows.push(element('tr.skipped', {}, element('td', {colSpan: 4}, text('sameLines', {n: end - i}))));
    i = end - 1;
  }
  return element('div.diff', {tabIndex: 0, role: 'region', 'aria-label': label}, element('table', {}, element('tbody', {}, rows)));
}

function row(line) {
  const sign = {same: ' ', out: '−', in: '+'}[line.kind];
  const named = line.kind === 'same' ? {} : {'aria-label': text(line.kind === 'in' ? 'lineIn' : 'lineOut')};
  return element(`tr.${line.kind}`, {},
    element('td', {}, String(line.before ?? '')), element('td', {}, String(line.after ?? '')),
    element('td', {}, element('span', line.kind === 'same' ? {} : {role: 'img', ...named}, sign)), element('td', {}, line.line));
}
