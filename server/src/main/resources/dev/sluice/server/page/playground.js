// Reads the form, asks the server to simulate it, and shows the picture, the numbers, the animation and how to write it.
import {api, element, language, loadTexts, note, onLanguage, put, say, text} from './page.js';
import {animate, momentMicros, onMoment} from './play-animate.js';
import {bars, barsOf, onBars, redraw, setBars, setScale} from './play-draw.js';

const USUAL = ['fixed-window-aligned', 'sliding-window', 'sliding-log', 'token-bucket'];
const form = document.getElementById('form');
const picture = document.getElementById('picture');
const drawing = document.getElementById('drawing');
let latest = 0;
/** Ends the call whose result nobody waits for any more. */
let ending = new AbortController();
let timer;
let result = null;
let startMicros;

function settings() {
  const chosen = new URLSearchParams();
  const data = new FormData(form);
  chosen.set('algorithm', data.getAll('algorithm').join(','));
  for (const [name, value] of data) {
    if (name !== 'algorithm' && value.trim() !== '') chosen.set(name, value.trim());
  }
  if (chosen.get('traffic') === 'drawn') {
    chosen.set('drawn', bars());
    chosen.delete('rate');
  }
  return chosen;
}

function restore() {
  const given = new URLSearchParams(location.search);
  const algorithms = given.get('algorithm');
  for (const box of form.querySelectorAll('[name=algorithm]')) {
    box.checked = algorithms === 'all' || (algorithms === null ? USUAL : algorithms.split(',')).includes(box.value);
  }
  form.elements.traffic.value = 'boundary';
  for (const [name, value] of given) {
    const field = form.elements[name];
    if (name === 'algorithm' || !field || !('value' in field)) continue;
    field.value = value;
    const folded = field.closest('details');
    if (folded) folded.open = true;
  }
  if (form.elements.traffic.value === '') form.elements.traffic.value = 'boundary';
  if (given.has('drawn')) setBars(given.get('drawn'));
  const at = Number(given.get('at'));
  if (given.has('at') && Number.isFinite(at) && at >= 0) startMicros = at;
}

/** Commas may stand in an address as they are, and are easier to read. */
const query = chosen => `?${chosen}`.replaceAll('%2C', ',');

function address() {
  const chosen = settings();
  if (momentMicros() > 0) chosen.set('at', String(momentMicros()));
  return query(chosen);
}

async function draw() {
  const mine = ++latest;
  const chosen = settings();
  const isDrawn = chosen.get('traffic') === 'drawn';
  drawing.hidden = !isDrawn;
  form.elements.rate.disabled = isDrawn;
  say('shape', text(`traffic-${form.elements.traffic.value}-how`));
  if (startMicros === undefined) history.replaceState(null, '', query(chosen));
  if (chosen.get('algorithm') === '') {
    fail(text('playTickOne'));
    return;
  }
  const asked = new URLSearchParams(chosen);
  asked.set('width', String(Math.max(320, Math.min(1600, Math.floor(picture.clientWidth)))));
  asked.set('language', language());
  picture.classList.add('stale');
  ending.abort();
  ending = new AbortController();
  let answer;
  try {
    answer = await api('/simulate.json' + query(asked), {signal: ending.signal});
  } catch (e) {
    if (mine === latest) fail(text('playNoPicture', {why: e.message}));
    return;
  }
  if (mine !== latest) return;
  result = answer;
  note('problem', null);
  document.getElementById('results').hidden = false;
  put(picture, document.importNode(new DOMParser().parseFromString(result.picture, 'image/svg+xml').documentElement, true));
  picture.classList.remove('stale');
  setScale(result.durationMicros, result.permits);
  numbers(chosen);
  recipes(chosen);
  animate(result, picture, startMicros);
  startMicros = undefined;
}

/** Shows why there is nothing to show. */
function fail(why) {
  result = null;
  note('problem', why, 'bad');
  put(picture);
  picture.classList.remove('stale');
  document.getElementById('results').hidden = true;
  say('said', '');
}

const name = each => text(`algorithm-${each.algorithm}`);

function numbers(chosen) {
  const period = chosen.get('per') ?? '10s';
  const head = (words, title) => element('th', {scope: 'col', title}, words);
  const isOver = each => each.most > each.permits;
  put('numbers',
    element('thead', {}, element('tr', {}, head(text('playAlgorithm')), head(text('playMost', {period})),
      head(text('playBound'), text('playBoundTitle')), head(text('playAllowed')), head(text('playDenied')))),
    element('tbody', {}, result.algorithms.map(each => element('tr', {},
      element('th', {scope: 'row'}, name(each)),
      element(isOver(each) ? 'td.number.over' : 'td.number.most', {}, each.atOnce ? text('playAtOnce', {n: each.most}) : String(each.most)),
      element('td.number', {}, String(each.bound)),
      element('td.number', {}, String(each.allowed)),
      element('td.number', {}, String(each.denied))))));
  const over = result.algorithms.filter(isOver).sort((a, b) => b.most - a.most);
  const shape = chosen.get('traffic');
  const traffic = text(`traffic-${shape}`);
  const scenario = text('picture-scenario', {permits: result.permits, period, traffic});
  say('said', text(over.length > 0 ? 'playSaidOver' : 'playSaidWithin', {
    scenario, period, count: result.algorithms.length, over: over.length, permits: result.permits,
    most: over[0]?.most, name: over[0] ? name(over[0]) : '',
  }));
}

// ---- What to take along

async function copy(words, button) {
  try {
    await navigator.clipboard.writeText(words);
  } catch {
    const area = element('textarea', {value: words});
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  const label = button.textContent;
  button.textContent = text('playCopied');
  setTimeout(() => { button.textContent = label; }, 1500);
}

/** A line of code with a button that copies it. */
function line(id, what, words) {
  const button = element('button', {type: 'button', 'aria-label': text('playCopyWhat', {what})}, text('playCopy'));
  button.addEventListener('click', () => copy(words, button));
  return element('div.line', {}, element('span.small.dim', {}, what), element('code', {className: id}, words), button);
}

function recipes(chosen) {
  const command = './sluice simulate ' + [...chosen].map(([key, value]) => `--${key} ${value}`).join(' ');
  put('recipes',
    result.algorithms.map(each => element('div.recipe', {},
      element('h3', {}, name(each)),
      line('java', text('playJava'), `Limiter.local(${each.code});`),
      line('rule', text('playRuleFile'), `limits: [${each.limit}]`))),
    element('div.recipe', {}, line('command', text('playCommand'), command)));
}

document.getElementById('link').addEventListener('click', event => {
  const link = address();
  history.replaceState(null, '', link);
  copy(location.origin + '/playground' + link, event.currentTarget);
});

// ---- Changes

function soon() {
  clearTimeout(timer);
  timer = setTimeout(draw, 150);
}

let traffic = '';
form.addEventListener('input', () => {
  const now = form.elements.traffic.value;
  if (now === 'drawn' && traffic !== 'drawn' && result) barsOf(result.arrivalsMicros, result.durationMicros);
  traffic = now;
  soon();
});
form.addEventListener('submit', event => {
  event.preventDefault();
  draw();
});
onBars(soon);
let moved;
onMoment(() => {
  clearTimeout(moved);
  moved = setTimeout(() => history.replaceState(null, '', address()), 300);
});
addEventListener('resize', soon);
onLanguage(() => {
  redraw();
  draw();
});
restore();
traffic = form.elements.traffic.value;
await loadTexts('play');
