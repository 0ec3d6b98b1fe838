import { fetch, guard, RetryBudget } from '/sluice.js';

const TEXTS = {
  en: {
    title: 'Sluice in the browser',
    intro: 'Three calls to this server, each behind a real limit. Click as often as you like.',
    orderTitle: 'A button',
    orderHelp: 'One order in 5 seconds. Repeated clicks are dropped; an order that is refused counts down.',
    order: 'Place order',
    messageTitle: 'A form',
    messageHelp: 'One message in 5 seconds, however it is sent.',
    message: 'Message',
    send: 'Send',
    pricesTitle: 'A call that comes back',
    pricesHelp: 'Two calls in 3 seconds. One that is refused is sent again when the server says.',
    prices: 'Load prices',
    clicks: 'Clicks',
    sent: 'Sent',
    done: 'Done',
    refused: 'Refused',
    budget: 'Retries left',
  },
  zh: {
    title: '浏览器中的 Sluice',
    intro: '对本服务器的三个调用，各有真实的限流。请随意多次点击。',
    orderTitle: '按钮',
    orderHelp: '每 5 秒一单。重复点击会被忽略；被拒绝的订单会显示倒计时。',
    order: '下单',
    messageTitle: '表单',
    messageHelp: '每 5 秒一条消息，无论如何发送。',
    message: '消息',
    send: '发送',
    pricesTitle: '会自动重试的调用',
    pricesHelp: '每 3 秒两次调用。被拒绝的调用会按服务器给出的时间重新发送。',
    prices: '查询价格',
    clicks: '点击',
    sent: '已发送',
    done: '成功',
    refused: '被拒绝',
    budget: '剩余重试',
  },
};

const asked = new URLSearchParams(location.search).get('lang') ?? navigator.language;
const language = asked.toLowerCase().startsWith('zh') ? 'zh' : 'en';
document.documentElement.lang = language;
document.title = TEXTS[language].title;
for (const element of document.querySelectorAll('[data-text]')) {
  element.textContent = TEXTS[language][element.dataset.text];
}

const byId = id => document.getElementById(id);
const count = id => byId(id).textContent++;

// Counts what really goes out: the script's retries, too.
const send = globalThis.fetch;
globalThis.fetch = async (...call) => {
  const name = new URL(call[0].url ?? call[0], location.href).pathname.split('/').pop();
  const card = { order: 'order', message: 'message', prices: 'prices' }[name];
  count(`${card}-sent`);
  const response = await send(...call);
  count(`${card}-${response.ok ? 'done' : 'refused'}`);
  return response;
};

const order = byId('order');
order.addEventListener('click', () => count('order-clicks'), true); // before the guard, which drops some
guard(order, () => fetch('order', { method: 'POST' }));

const message = byId('message');
guard(message, () => fetch(message.action, { method: 'POST', body: new FormData(message) }));

const budget = new RetryBudget();
guard(byId('prices'), async () => {
  const response = await fetch('prices', {}, { budget });
  byId('prices-budget').textContent = budget.remaining;
  return response;
});
