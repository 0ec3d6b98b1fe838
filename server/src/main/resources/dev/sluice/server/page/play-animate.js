// Draws the states of the algorithms as time passes, and a line in the picture that shows the moment.
import {element, put, text} from './page.js';
import {countUpTo, stateOf} from './play-state.js';

const WIDTH = 300;
const HEIGHT = 96;
const LEFT = 46;
const RIGHT = 290;
const TOP = 8;
const FLOOR = 84;
const MAX_MARKS = 400;
/** The whole traffic takes this long at speed 1. */
const WHOLE_MILLIS = 20000;
const FRAME_MILLIS = 33;
const SVG = 'http://www.w3.org/2000/svg';
const HOW = {
  window: 'playHowWindow', slices: 'playHowSlices', weighted: 'playHowWeighted', log: 'playHowLog', tokens: 'playHowTokens',
  water: 'playHowWater', queue: 'playHowQueue', running: 'playHowHold',
};
const USED = {tokens: 'playTokens', water: 'playWater', queue: 'playWaiting', running: 'playRunning'};

const byId = id => document.getElementById(id);
let result = null;
let cards = [];
let playhead = null;
let moment = 0;
let playing = !matchMedia('(prefers-reduced-motion: reduce)').matches;
let last = 0;
let listener = () => {};

function svg(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const box = (x, y, width, height) =>
  `M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;

/** A time as people write it. */
export function clock(micros) {
  if (micros === 0) return '0s';
  for (const [unit, name] of [[86400e6, 'd'], [3600e6, 'h'], [60e6, 'm'], [1e6, 's'], [1e3, 'ms']]) {
    if (micros >= unit) return `${+(micros / unit).toFixed(2)}${name}`;
  }
  return `${Math.round(micros)}us`;
}

/** Takes up another simulation, at the same share of its time. */
export function animate(simulation, picture, startMicros) {
  const share = result ? moment / result.durationMicros : 0;
  result = simulation;
  moment = Math.min(startMicros ?? share * result.durationMicros, result.durationMicros);
  if (startMicros !== undefined) playing = false;
  playhead = null;
  const drawn = picture.querySelector('svg');
  if (drawn) {
    playhead = svg('path', {class: 'playhead'});
    playhead.dataset.left = drawn.dataset.left;
    playhead.dataset.right = drawn.dataset.right;
    playhead.dataset.height = drawn.viewBox.baseVal.height;
    drawn.append(playhead);
  }
  cards = result.algorithms.map(card);
  put('states', cards.map(each => each.root));
  names();
  show();
}

/** Calls a function when somebody has chosen a moment. */
export function onMoment(chosen) {
  listener = chosen;
}

export const momentMicros = () => Math.round(moment);

function card(each) {
  const marks = ['old', 'frame', 'fill', 'mark', 'drop'].map(type => svg('path', {class: type}));
  const door = svg('circle', {class: 'door', cx: 14, cy: 16, r: 6});
  const said = element('p.small.number');
  const drawing = svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'state', 'aria-hidden': 'true'});
  drawing.append(...marks, door);
  const state = stateOf(result, each);
  const root = element('figure', {},
    element('figcaption', {}, element('b', {}, text(`algorithm-${each.algorithm}`))), drawing, said,
    element('p.small.dim', {}, text(HOW[state(0).kind])));
  root.dataset.algorithm = each.algorithm;
  const [old, frame, fill, mark, drop] = marks;
  return {each, state, root, said, door, old, frame, fill, mark, drop};
}

function show() {
  for (const each of cards) draw(each);
  const share = moment / result.durationMicros;
  byId('moment').value = String(Math.round(share * 1000));
  const words = text('playMomentAt', {at: clock(moment), duration: clock(result.durationMicros)});
  byId('moment').setAttribute('aria-valuetext', words);
  byId('clock').textContent = words;
  if (playhead) {
    const {left, right, height} = playhead.dataset;
    playhead.setAttribute('d', `M${(+left + (right - left) * share).toFixed(1)} 76V${height - 30}`);
  }
}

function draw(each) {
  const state = each.state(moment);
  const paths = DRAWINGS[state.kind](state);
  for (const type of ['old', 'frame', 'fill', 'mark', 'drop']) each[type].setAttribute('d', paths[type] ?? '');
  const used = {used: state.used, left: state.left, capacity: state.capacity};
  const words = state.kind === 'window' && state.from === undefined ? text('playNoWindow') : text(USED[state.kind] ?? 'playUsed', used);
  if (each.said.textContent !== words) each.said.textContent = words;
  each.root.dataset.used = state.used;
  const recent = countUpTo(result.arrivalsMicros, moment);
  const flash = recent > 0 && moment - result.arrivalsMicros[recent - 1] < result.durationMicros / 100;
  each.door.setAttribute('class', flash ? `door ${each.each.decisions[recent - 1] === '1' ? 'yes' : 'no'}` : 'door');
}

/** Every one of few, and evenly chosen ones of many. */
function some(list) {
  if (list.length <= MAX_MARKS) return list;
  return Array.from({length: MAX_MARKS}, (_, i) => list[Math.floor(i * list.length / MAX_MARKS)]);
}

const whole = box(LEFT, TOP, RIGHT - LEFT, FLOOR - TOP);
/** Where a time is in a frame that ends now and is one period long. */
const ago = (state, time) => RIGHT - (RIGHT - LEFT) * (moment - time) / state.period;

const DRAWINGS = {
  window(state) {
    if (state.from === undefined) return {frame: whole};
    const x = time => LEFT + (RIGHT - LEFT) * (time - state.from) / state.period;
    return {
      frame: whole,
      fill: box(LEFT, FLOOR - (FLOOR - TOP) * Math.min(1, state.used / state.capacity), x(moment) - LEFT, (FLOOR - TOP) * Math.min(1, state.used / state.capacity)),
      mark: some(state.entries).map(time => box(x(time) - 1.5, FLOOR - 16, 3, 16)).join(''),
      drop: `M${x(moment).toFixed(1)} ${TOP}V${FLOOR}`,
    };
  },
  slices(state) {
    const column = part => {
      const height = (FLOOR - TOP) * Math.min(1, part.count / state.capacity);
      const left = Math.max(0, ago(state, part.from));
      return box(left, FLOOR - height, Math.max(1, Math.min(RIGHT, ago(state, part.to)) - left - 1), height);
    };
    const isOld = part => part.from < moment - state.period;
    return {
      frame: whole,
      fill: state.parts.filter(part => !isOld(part)).map(column).join(''),
      mark: state.kind === 'slices' ? state.parts.filter(isOld).map(column).join('') : '',
      old: state.kind === 'weighted' ? state.parts.filter(isOld).map(column).join('') : '',
    };
  },
  weighted: state => DRAWINGS.slices(state),
  log: state => ({
    frame: whole,
    mark: some(state.entries).map(time => box(ago(state, time) - 1.5, FLOOR - 40, 3, 40)).join(''),
  }),
  tokens(state) {
    const height = (FLOOR - 24) * state.level / state.capacity;
    const falling = state.level < state.capacity - 1e-9;
    const phase = moment * state.permits / state.period % 1;
    return {
      frame: 'M110 24V84H226V24',
      fill: box(111, FLOOR - height, 114, height),
      mark: state.capacity <= 20 ? rungs(state.capacity, Math.floor(state.level + 1e-6)) : '',
      drop: falling ? box(166, 2 + phase * (FLOOR - height - 10), 4, 6) : '',
    };
  },
  water(state) {
    const height = (FLOOR - 24) * state.level / state.capacity;
    const phase = moment * state.permits / state.period % 1;
    return {
      frame: 'M110 24V84H164M172 84H226V24',
      fill: box(111, FLOOR - height, 114, height),
      drop: state.level > 0 ? box(166, FLOOR + phase * 8, 4, 4) : '',
    };
  },
  queue(state) {
    const gap = state.period / state.permits;
    const step = Math.min(24, (RIGHT - LEFT - 12) / Math.max(1, state.capacity));
    return {
      frame: `M${LEFT} 28H${RIGHT}M${LEFT} 68H${RIGHT}`,
      mark: some(state.waiting)
        .map(start => box(LEFT + (start - moment) / gap * step, 36, Math.max(1.5, step * .7), 24))
        .join(''),
      drop: `M${LEFT} 20V76`,
    };
  },
  running(state) {
    const height = (FLOOR - TOP) / state.permits;
    const y = place => TOP + place * height;
    return {
      frame: whole,
      fill: some(state.running).map(each =>
        box(LEFT, y(each.place) + height * .1, (RIGHT - LEFT) * Math.min(1, each.done), height * .8)).join(''),
      mark: some(state.running).map(each =>
        box(LEFT + (RIGHT - LEFT) * Math.min(1, each.done) - 3, y(each.place) + height * .1, 3, height * .8)).join(''),
    };
  },
};

/** A line on top of each token. */
function rungs(capacity, count) {
  const height = (FLOOR - 24) / capacity;
  let path = '';
  for (let i = 1; i <= count; i++) path += box(111, FLOOR - i * height, 114, 1.5);
  return path;
}

// ---- Controls

function names() {
  byId('play').textContent = text(playing ? 'playPause' : 'playPlay');
}

function stop() {
  playing = false;
  names();
}

function frame(now) {
  if (now - last >= FRAME_MILLIS) {
    if (playing && result && last > 0) {
      const passed = Math.min(200, now - last) * byId('speed').value / WHOLE_MILLIS;
      moment += passed * result.durationMicros;
      if (moment > result.durationMicros) moment = 0;
      show();
    }
    last = now;
  }
  requestAnimationFrame(frame);
}

byId('play').addEventListener('click', () => {
  playing = !playing;
  names();
  if (!playing) listener();
});
byId('step').addEventListener('click', () => {
  if (!result) return;
  stop();
  const next = result.arrivalsMicros[countUpTo(result.arrivalsMicros, moment)];
  moment = next === undefined ? 0 : next;
  show();
  listener();
});
byId('moment').addEventListener('input', () => {
  if (!result) return;
  stop();
  moment = byId('moment').value / 1000 * result.durationMicros;
  show();
  listener();
});
requestAnimationFrame(frame);
