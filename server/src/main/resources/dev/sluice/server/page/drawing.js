// Draws what a key has used under one limit: the slices of a window, the entries of a log, the level of a bucket, a queue,
// what is held.

import {text, number, rate, duration} from './page.js';

const WIDTH = 400;
const HEIGHT = 118;
const FLOOR = 92;
const TOP = 12;
const MAX_BOXES = 60;
const MAX_SLICES = 60;
const GAUGE = 26;
const BARS = 44;

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter(child => child !== null));
  return made;
}

const words = (x, y, said, anchor = 'start', kind = '') => svg('text', {x, y, 'text-anchor': anchor, class: kind}, said);
const box = (x, y, width, height, kind) =>
  svg('rect', {x: x.toFixed(1), y: y.toFixed(1), width: Math.max(0, width).toFixed(1), height: Math.max(0, height).toFixed(1), rx: 2, class: kind});
const line = (x1, y1, x2, y2, kind) => svg('line', {x1, y1, x2, y2, class: kind});

function picture(label, ...parts) {
  return svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label, class: 'drawing'}, ...parts);
}

/** A drawing of a state; of what is known of every limit, where a state says no more. */
export function draw(state, decision) {
  if (typeof state?.queued === 'number') return queue(state);
  if (typeof state?.level === 'number') return bucket(state);
  if (typeof state?.held === 'number') return holds(state);
  if (state?.periodMs > 0 && Array.isArray(state.spans)) return spans(state);
  if (state?.periodMs > 0) return period(state);
  return gauge(decision);
}

/**
 * A sliding window or a log: a gauge with what is used of the limit, and under it a bar for each span, where it was taken. The
 * bars move to the left and leave there. A window also counts the slice in which the period begins, left of the dashed line.
 */
function spans(state) {
  const slice = state.sliceMs > 0 ? state.sliceMs : 0;
  const length = state.periodMs + slice;
  const x = ago => WIDTH * (1 - Math.min(length, Math.max(0, ago)) / length);
  const tallest = Math.max(0, ...state.spans.map(span => span.permits));
  const share = Math.min(1, state.used / state.capacity);
  const kind = state.used >= state.capacity ? 'full' : 'used';
  const bars = state.spans.map(span => {
    const left = x(span.fromMsAgo);
    const height = Math.max(2, (FLOOR - BARS) * (span.permits / tallest));
    const bar = box(left, FLOOR - height, Math.max(2, x(span.toMsAgo) - left - 0.5), height, kind);
    bar.append(svg('title', {}, text('spanDrawn', {n: number(span.permits), from: duration(span.fromMsAgo), to: duration(span.toMsAgo)})));
    return bar;
  });
  const began = x(state.periodMs);
  return picture(text('periodDrawn', {used: number(state.used), full: number(state.capacity), time: duration(state.periodMs)}),
    words(2, TOP + 6, text('usedOf', {used: number(state.used), of: number(state.capacity)}), 'start', 'strong'),
    words(WIDTH - 2, TOP + 6, state.used === 0 ? text('nothingUsed') : text('resetsIn', {time: duration(state.resetAfterMs)}), 'end'),
    box(0.5, GAUGE, WIDTH - 1, 7, 'room'), box(0.5, GAUGE, (WIDTH - 1) * share, 7, kind),
    ...edges(state, slice, length, x), ...bars,
    slice > 0 ? line(began.toFixed(1), BARS - 4, began.toFixed(1), FLOOR, 'bound') : null,
    line(0, FLOOR, WIDTH, FLOOR, 'line'),
    words(Math.max(2, slice > 0 ? began : 2), FLOOR + 16, text('ago', {time: duration(state.periodMs)})),
    tallest > 0 ? words(WIDTH / 2, FLOOR + 16, text(slice > 0 ? 'tallestSlice' : 'tallestBar', {n: number(tallest)}), 'middle') : null,
    words(WIDTH - 2, FLOOR + 16, text('now'), 'end'));
}

/** Where slices begin, if there are few enough to see. Their edges follow from those of a slice with permits. */
function edges(state, slice, length, x) {
  if (slice === 0 || state.spans.length === 0 || length / slice > MAX_SLICES) return [];
  const made = [];
  for (let ago = state.spans[0].fromMsAgo % slice; ago < length; ago += slice) {
    made.push(line(x(ago).toFixed(1), BARS, x(ago).toFixed(1), FLOOR, 'line'));
  }
  return made;
}

/**
 * A fixed window, or one of which the store has not said when its permits were taken. A fixed window has a start and an end, and now is somewhere between; the others always end now, and
 * what they hold leaves them on the left.
 */
function period(state) {
  const fixed = state.algorithm === 'fixed-window';
  const share = state.capacity > 0 ? state.used / state.capacity : 1;
  const height = (FLOOR - TOP - 14) * Math.min(1, share);
  const rest = Math.min(state.resetAfterMs ?? 0, state.periodMs);
  const passed = state.used === 0 ? 0 : state.periodMs - rest;
  const at = fixed ? (passed / state.periodMs) * WIDTH : WIDTH;
  const top = TOP + 14;
  return picture(text('periodDrawn', {used: number(state.used), full: number(state.capacity), time: duration(state.periodMs)}),
    box(0.5, top, WIDTH - 1, FLOOR - top, 'room'),
    fixed ? box(0.5, FLOOR - height, Math.max(at, state.used > 0 ? 3 : 0), height, share >= 1 ? 'full' : 'used')
      : box(0.5, FLOOR - height, WIDTH - 1, height, share >= 1 ? 'full' : 'used'),
    line(0, top, WIDTH, top, 'bound'),
    words(2, TOP + 9, text('limitLine', {n: number(state.capacity)})),
    words(WIDTH - 2, TOP + 9, state.used === 0 ? text('nothingUsed') : text('resetsIn', {time: duration(state.resetAfterMs)}), 'end'),
    fixed && state.used > 0 ? line(at, top - 3, at, FLOOR + 4, 'now') : null,
    line(0, FLOOR, WIDTH, FLOOR, 'line'),
    words(2, FLOOR + 16, fixed ? text('windowStart') : text('ago', {time: duration(state.periodMs)})),
    fixed && state.used > 0 && at > 60 && at < WIDTH - 90 ? words(at, FLOOR + 16, text('now'), 'middle') : null,
    words(WIDTH - 2, FLOOR + 16, fixed ? text('windowEnd', {time: duration(state.periodMs)}) : text('now'), 'end'));
}

function tank(share, kind) {
  const height = (FLOOR - TOP) * Math.min(1, Math.max(0, share));
  return [box(8, TOP, 96, FLOOR - TOP, 'room'), box(9, FLOOR - height, 94, height, kind)];
}

function bucket(state) {
  const share = state.capacity > 0 ? state.level / state.capacity : 0;
  return picture(text('bucketDrawn', {level: number(state.level, 1), capacity: number(state.capacity)}),
    ...tank(share, share <= 0.02 ? 'full' : 'used'),
    words(120, TOP + 22, text('levelOf', {level: number(state.level, 1), capacity: number(state.capacity)}), 'start', 'strong'),
    words(120, TOP + 42, text('refills', {n: rate(state.perSecond)})),
    words(120, TOP + 60, state.level >= state.capacity ? text('bucketFull')
      : state.perSecond > 0 ? text('fullIn', {time: duration(((state.capacity - state.level) / state.perSecond) * 1000)}) : ''),
    line(8, FLOOR, 104, FLOOR, 'line'));
}

function queue(state) {
  const share = state.capacity > 0 ? state.queued / state.capacity : 0;
  return picture(text('queueDrawn', {queued: number(state.queued, 1), capacity: number(state.capacity)}),
    ...tank(share, share >= 0.98 ? 'full' : 'used'),
    words(120, TOP + 22, text('queuedOf', {queued: number(state.queued, 1), capacity: number(state.capacity)}), 'start', 'strong'),
    words(120, TOP + 42, state.perSecond === undefined ? '' : text('leaks', {n: rate(state.perSecond)})),
    line(8, FLOOR, 104, FLOOR, 'line'));
}

function holds(state) {
  const full = state.capacity;
  const count = Math.min(MAX_BOXES, full);
  const columns = Math.min(count, 20);
  const size = Math.min(26, (WIDTH - 4) / columns);
  const taken = Math.round((Math.min(state.held, full) / Math.max(1, full)) * count);
  const boxes = [];
  for (let i = 0; i < count; i++) {
    boxes.push(box(2 + (i % columns) * size, TOP + Math.floor(i / columns) * size, size - 3, size - 3,
      i < taken ? (state.held >= full ? 'full' : 'used') : 'room'));
  }
  return picture(text('holdsDrawn', {held: number(state.held), full: number(full)}), ...boxes,
    words(2, FLOOR + 4, text('heldOf', {held: number(state.held), full: number(full)}), 'start', 'strong'));
}

/** For what is known of every limit: how much of it is used, and when nothing is. */
function gauge(decision) {
  const used = Math.max(0, decision.limit - decision.remaining);
  const share = decision.limit > 0 ? used / decision.limit : 1;
  return picture(text('gaugeDrawn', {used: number(used), full: number(decision.limit)}),
    box(1, 34, WIDTH - 2, 26, 'room'), box(2, 35, (WIDTH - 4) * Math.min(1, share), 24, share >= 1 ? 'full' : 'used'),
    words(2, 26, text('usedOf', {used: number(used), of: number(decision.limit)}), 'start', 'strong'),
    words(2, 80, decision.resetAfterMs ? text('resetsIn', {time: duration(decision.resetAfterMs)}) : text('nothingUsed')));
}
