// Traffic drawn by hand: a bar for each equal part of the duration, by pointer or keyboard.
import {element, text} from './page.js';
import {clock} from './play-animate.js';

const PARTS = 40;
const MAX_COUNT = 99999;
const field = document.getElementById('bars');
let counts = new Array(PARTS).fill(0);
let durationMicros = 1;
let top = 20;
let chosen = 0;
let changed = () => {};

/** Takes up bars: `given` is a text such as 0,5,20. Returns whether it was one. */
export function setBars(given) {
  const numbers = given.split(',').map(Number);
  if (given === '' || numbers.length > 200 || numbers.some(n => !Number.isInteger(n) || n < 0 || n > MAX_COUNT)) return false;
  counts = numbers;
  chosen = 0;
  rescale();
  draw();
  return true;
}

/** Makes bars of arrivals. */
export function barsOf(arrivalsMicros, duration) {
  counts = new Array(PARTS).fill(0);
  for (const at of arrivalsMicros) counts[Math.min(PARTS - 1, Math.floor(at / duration * PARTS))]++;
  durationMicros = duration;
  rescale();
  draw();
}

/** The bars as text. */
export const bars = () => counts.join(',');

export function onBars(listener) {
  changed = listener;
}

/** Says how long the traffic lasts, and how many permits its limit has. */
export function setScale(duration, permits) {
  durationMicros = duration;
  top = Math.max(10, 2 * permits, ...counts);
  draw();
}

function rescale() {
  top = Math.max(top, 10, ...counts);
}

function draw() {
  if (field.children.length !== counts.length) {
    field.replaceChildren(...counts.map(() => element('i')));
  }
  counts.forEach((count, i) => {
    field.children[i].style.height = `${Math.min(100, count / top * 100).toFixed(1)}%`;
    field.children[i].className = i === chosen ? 'chosen' : '';
  });
  const words = describe(chosen);
  field.setAttribute('aria-valuemax', String(top));
  field.setAttribute('aria-valuenow', String(counts[chosen]));
  field.setAttribute('aria-valuetext', words);
  document.getElementById('bar').textContent = words;
}

/** Writes the texts anew, after the language has changed. */
export const redraw = draw;

function describe(i) {
  const at = part => clock(durationMicros * part / counts.length);
  return text('playDrawBar', {n: counts[i], from: at(i), to: at(i + 1)});
}

function set(i, value) {
  chosen = Math.min(counts.length - 1, Math.max(0, i));
  counts[chosen] = Math.min(MAX_COUNT, Math.max(0, Math.round(value)));
  draw();
  changed();
}

let lastPart = null;

function point(event) {
  const area = field.getBoundingClientRect();
  const part = Math.min(counts.length - 1, Math.max(0, Math.floor((event.clientX - area.left) / area.width * counts.length)));
  const value = Math.max(0, (area.bottom - event.clientY) / area.height * top);
  // A fast pointer skips bars: those between are set too.
  const from = lastPart ?? part;
  for (let i = Math.min(from, part); i <= Math.max(from, part); i++) counts[i] = Math.min(MAX_COUNT, Math.round(value));
  lastPart = part;
  set(part, value);
}

field.addEventListener('pointerdown', event => {
  if (event.button !== 0) return;
  field.setPointerCapture(event.pointerId);
  field.focus();
  lastPart = null;
  point(event);
  event.preventDefault();
});
field.addEventListener('pointermove', event => {
  if (field.hasPointerCapture(event.pointerId)) point(event);
});
field.addEventListener('keydown', event => {
  const step = Math.max(1, Math.round(top / 20));
  const moves = {
    ArrowLeft: () => set(chosen - 1, counts[Math.max(0, chosen - 1)]),
    ArrowRight: () => set(chosen + 1, counts[Math.min(counts.length - 1, chosen + 1)]),
    ArrowUp: () => set(chosen, counts[chosen] + step),
    ArrowDown: () => set(chosen, counts[chosen] - step),
    PageUp: () => set(chosen, counts[chosen] + 5 * step),
    PageDown: () => set(chosen, counts[chosen] - 5 * step),
    Home: () => set(chosen, 0),
    End: () => set(chosen, top),
  };
  const move = moves[event.key];
  if (!move || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  move();
});
document.getElementById('clear').addEventListener('click', () => {
  counts = new Array(counts.length).fill(0);
  set(0, 0);
});
