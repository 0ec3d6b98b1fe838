'use strict';
// Reads the form, asks the server for the picture, and shows what the picture says of itself as a table and as code.
const form = document.getElementById('form');
const picture = document.getElementById('picture');
const problem = document.getElementById('problem');
const usual = ['fixed-window-aligned', 'sliding-window', 'sliding-log', 'token-bucket'];
let latest = 0;
let timer;

function settings() {
  const chosen = new URLSearchParams();
  const algorithms = new FormData(form).getAll('algorithm');
  chosen.set('algorithm', algorithms.length ? algorithms.join(',') : usual.join(','));
  for (const [name, value] of new FormData(form)) {
    if (name !== 'algorithm' && value.trim() !== '') chosen.set(name, value.trim());
  }
  return chosen;
}

function restore() {
  const given = new URLSearchParams(location.search);
  const algorithms = given.get('algorithm');
  for (const box of form.querySelectorAll('[name=algorithm]')) {
    box.checked = algorithms === 'all' || (algorithms ? algorithms.split(',') : usual).includes(box.value);
  }
  form.elements.traffic.value = 'boundary';
  for (const [name, value] of given) {
    const field = form.elements[name];
    if (name !== 'algorithm' && field && 'value' in field) {
      field.value = value;
      const folded = field.closest('details');
      if (folded) folded.open = true;
    }
  }
}

async function draw() {
  const mine = ++latest;
  const chosen = settings();
  form.querySelector('#shape').textContent = form.elements.traffic.selectedOptions[0].title;
  history.replaceState(null, '', '?' + chosen);
  const asked = new URLSearchParams(chosen);
  asked.set('width', Math.max(320, Math.min(1600, Math.floor(picture.clientWidth))));
  picture.classList.add('stale');
  let text, good;
  try {
    const response = await fetch('simulate.svg?' + asked);
    text = await response.text();
    good = response.ok;
  } catch (e) {
    text = 'The server does not answer. Is it still running?';
    good = false;
  }
  if (mine !== latest) return;
  problem.hidden = good;
  if (!good) {
    problem.textContent = text.trim();
    return;
  }
  const svg = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  picture.replaceChildren(document.importNode(svg, true));
  picture.classList.remove('stale');
  numbers(chosen);
}

function numbers(chosen) {
  const rows = [...picture.querySelectorAll('g[data-name]')].map(panel => panel.dataset);
  document.getElementById('most').textContent = 'Most in any ' + (chosen.get('per') || 'period');
  document.querySelector('#numbers tbody').replaceChildren(...rows.map(row => {
    const line = document.createElement('tr');
    const held = row.name === 'Concurrency';
    for (const value of [row.name, row.allowed, row.denied, row.most + (held ? ' at once' : ''), row.bound]) {
      const cell = document.createElement('td');
      cell.textContent = value;
      line.append(cell);
    }
    line.children[3].classList.toggle('over', Number(row.most) > Number(row.permits));
    return line;
  }));
  document.getElementById('code').textContent = rows.map(row => 'Limiter.local(' + row.code + ');').join('\n');
  document.getElementById('command').textContent =
    './sluice simulate ' + [...chosen].map(([name, value]) => '--' + name + ' ' + value).join(' ');
  document.getElementById('numbers').hidden = false;
  document.getElementById('recipes').hidden = false;
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(draw, 150);
}

form.addEventListener('input', soon);
form.addEventListener('submit', event => { event.preventDefault(); draw(); });
addEventListener('resize', soon);
restore();
draw();
