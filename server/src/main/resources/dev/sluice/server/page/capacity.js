// Asks the server for the numbers of what is in the form. The arithmetic is the server's, so that the document has the same.
import {api, duration, element, facts, loadTexts, note, number, onLanguage, percent, put, say, text} from './page.js';

const form = document.getElementById('form');
let latest = 0;
let timer;

/** A number in its unit; a share near 1 with as many nines as it has. */
function shown({unit, value}) {
  switch (unit) {
    case 'count': return number(value);
    case 'rate': return number(value, value < 100 ? 2 : 0);
    case 'seconds': return duration(value * 1000);
    case 'share': return percent(value, value > 0.9 ? 5 : 2);
    default: throw new Error(`unknown unit: ${unit}`);
  }
}

async function calculate() {
  const mine = ++latest;
  const chosen = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
  history.replaceState(null, '', `?${chosen}`);
  let answer;
  try {
    answer = await api(`/capacity.json?${chosen}`);
  } catch (e) {
    if (mine !== latest) return;
    note('problem', e.message, 'bad');
    document.getElementById('answers').classList.add('stale');
    return;
  }
  if (mine !== latest) return;
  note('problem', null);
  document.getElementById('answers').classList.remove('stale');
  for (const part of ['pools', 'availability', 'limits']) {
    put(part, facts(answer[part].map(fact => [text(`cap-${fact.key}`), element('span.number', {id: fact.key}, shown(fact))])));
  }
  say('limits-how', text('capLimitsHow', {limit: answer.limit}));
  const fact = (part, key) => shown(answer[part].find(each => each.key === key));
  say('said', text('capSaid', {inFlight: fact('pools', 'inFlight'), down: fact('availability', 'downMonth')}));
}

for (const [name, value] of new URLSearchParams(location.search)) {
  const field = form.elements[name];
  if (field && 'value' in field) field.value = value;
}
form.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(calculate, 150);
});
form.addEventListener('submit', event => {
  event.preventDefault();
  calculate();
});
onLanguage(calculate);
await loadTexts('play');
