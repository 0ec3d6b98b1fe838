import { fetch, guard } from '/sluice.js';

const find = id => document.getElementById(id);
let order;

// A real shop has a session here.
if (!document.cookie.includes('shopper=')) {
  document.cookie = `shopper=page-${crypto.getRandomValues(new Uint32Array(1))[0]}; path=/; SameSite=Strict`;
}

function note(call, response, text) {
  const by = response.headers.get('X-Refused-By') ?? (response.status === 429 ? 'shop' : null);
  const line = document.createElement('li');
  line.textContent = `${call}: ${response.status}${by ? `, refused by ${by}` : ''} ${text}`;
  find('said').prepend(line);
}

async function look() {
  const response = await fetch('/api/stock');
  if (response.ok) {
    const { unsold, fresh } = await response.json();
    find('stock').textContent = unsold === 0 ? 'Sold out.' : `${unsold} left${fresh ? '.' : ', a moment ago.'}`;
  }
}

guard(find('buy'), async () => {
  const response = await fetch('/api/orders', { method: 'POST' });
  if (response.ok) {
    order = (await response.json()).order;
    find('pay').hidden = false;
  }
  note('Buy', response, response.ok ? `order ${order}` : response.status === 409 ? 'sold out' : '');
  await look();
  return response;                                  // a 429 says when the button can be used again
});

guard(find('pay'), async () => {
  const response = await fetch(`/api/payments?order=${order}`, { method: 'POST' });
  note('Pay', response, response.ok ? `order ${order} is paid` : '');
  return response;
});

look();
