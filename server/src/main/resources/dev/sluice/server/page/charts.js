// Charts of outcomes over time, drawn by uPlot: areas that lie on each other, so that their top is all requests.

import {text, onTheme, rate, time, element, say} from './page.js';

/** What can become of a request, in the order in which the areas lie on each other. */
export const OUTCOMES = ['allowed', 'waited', 'degraded', 'shadowed', 'unmatched', 'shed', 'denied', 'never'];
/** What a request can be counted as beside that. */
const BESIDE = ['failed', 'errors'];

/**
 * Counts of which each request is in one: one that waited was allowed too, and one that was degraded was over the limit of
 * its rule, or, of requests as a whole, allowed. `whole` says of which of the two they are counts.
 */
export function parts(counts, whole) {
  const less = (from, ...others) => (from === undefined || from === null ? from : Math.max(0, from - others.reduce((sum, other) => sum + (other ?? 0), 0)));
  return {
    ...counts,
    allowed: whole ? less(counts.allowed, counts.waited, counts.degraded) : less(counts.allowed, counts.waited),
    denied: whole ? counts.denied : less(counts.denied, counts.degraded),
  };
}

function partsOfSeries(history, whole) {
  const names = Object.keys(history.series);
  const result = Object.fromEntries(names.map(name => [name, []]));
  for (let i = 0; i < history.count; i++) {
    const at = parts(Object.fromEntries(names.map(name => [name, history.series[name][i]])), whole);
    for (const name of names) result[name].push(at[name]);
  }
  return result;
}

/** Which counts to name: those that are not zero, and the two that always can be something else. */
export const named = counts =>
  [...OUTCOMES, ...BESIDE].filter(name => name === 'allowed' || name === 'denied' || counts[name] > 0);

const POINTS = 900;
const SMALL_POINTS = 180;
const LATEST_SECONDS = 10;
/** The least that a chart shows, if a server has run for less than the history reaches back. */
const LEAST_SLOTS = 60;
const MINUTE_SECONDS = 60;
const all = new Set();
const resized = new ResizeObserver(entries => {
  for (const entry of entries) [...all].find(chart => chart.box === entry.target)?.fit();
});
onTheme(() => all.forEach(chart => chart.restyle()));

const color = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** The outcomes that a chart shows: those that happened, and the two that always can. */
const drawn = series => OUTCOMES.filter(name =>
  name === 'allowed' || name === 'denied' || (series[name] ?? []).some(value => value > 0));

/** Means over `width` slots each, per second; a slot without a value is left out, and a mean of none is null. */
export function thin(values, width, step) {
  const means = [];
  for (let i = 0; i < values.length; i += width) {
    let sum = 0;
    let count = 0;
    for (let j = i; j < Math.min(values.length, i + width); j++) {
      if (values[j] !== null && values[j] !== undefined) {
        sum += values[j];
        count++;
      }
    }
    means.push(count === 0 ? null : sum / count / step);
  }
  return means;
}

export class Chart {
  /** In an element, of one rule or of requests as a whole; a small one has no time axis and no values under the pointer. */
  constructor(box, {small = false, whole = false, onPoint = () => {}} = {}) {
    this.box = box;
    this.small = small;
    this.whole = whole;
    this.onPoint = onPoint;
    this.none = element('div.none', {hidden: true});
    box.append(this.none);
    box.setAttribute('role', 'img');
    box.setAttribute('aria-label', text('chartComing'));
    all.add(this);
    resized.observe(box);
  }

  /** Shows what /v1/history answers, under a name. */
  show(whole, label) {
    const history = sinceStart(whole);
    const series = partsOfSeries(history, this.whole);
    this.latest = latest(series, history.step);
    const names = drawn(series);
    const points = this.small ? SMALL_POINTS : POINTS;
    const width = Math.max(1, Math.round(history.count / points));
    const times = [];
    for (let i = 0; i < history.count; i += width) times.push(history.from + i * history.step);
    const values = names.map(name => thin(series[name] ?? new Array(history.count).fill(0), width, history.step));
    this.values = Object.fromEntries(names.map((name, i) => [name, values[i]]));
    this.times = times;
    this.box.setAttribute('aria-label', sentence(label, series));
    const tops = [];
    names.forEach((name, i) => {
      tops.push(values[i].map((value, at) => (value === null ? null : value + (i === 0 ? 0 : tops[i - 1][at] ?? 0))));
    });
    const empty = tops.length === 0 || tops[tops.length - 1].every(value => value === null || value === 0);
    this.none.hidden = !empty;
    if (empty) say(this.none, text('noRequests'));
    const data = [times, ...tops.reverse()];
    if (this.plot && this.names?.join() === names.join()) {
      this.plot.setData(data);
    } else {
      this.names = names;
      this.draw(data);
    }
  }

  draw(data) {
    this.plot?.destroy();
    const styles = [...this.names].reverse();
    const axis = {stroke: color('dim'), grid: {stroke: color('edge'), width: 1}, ticks: {show: false}, font: '11px system-ui'};
    this.plot = new uPlot({
      width: Math.max(80, this.box.clientWidth),
      height: this.box.clientHeight,
      legend: {show: false},
      padding: [6, this.small ? 4 : 18, this.small ? 4 : 0, 0],
      cursor: {show: !this.small, drag: {x: false, y: false}, points: {show: false}, y: false},
      hooks: {setCursor: [plot => this.point(plot.cursor.idx)]},
      scales: {x: {time: true}, y: {range: (plot, low, high) => [0, high > 0 ? high * 1.06 : 1]}},
      axes: [
        {...axis, show: !this.small, grid: {show: false}, size: 24, space: 80, values: (plot, ticks, axis, space, step) => ticks.map(step < MINUTE_SECONDS ? second : hour)},
        {...axis, size: this.small ? 34 : 46, space: this.small ? 30 : 36, gap: 4, values: (plot, ticks) => ticks.map(compact)},
      ],
      series: [{}, ...styles.map(name => ({
        stroke: color(name), fill: color(name), width: 0.5, points: {show: false}, spanGaps: false,
      }))],
    }, data, this.box);
    this.data = data;
  }

  point(index) {
    if (this.small || !this.values) return;
    if (index === null || index === undefined) {
      this.onPoint(null);
      return;
    }
    this.onPoint({
      at: this.times[index],
      values: Object.fromEntries(this.names.map(name => [name, this.values[name][index]])),
    });
  }

  fit() {
    this.plot?.setSize({width: Math.max(80, this.box.clientWidth), height: this.box.clientHeight});
  }

  restyle() {
    if (this.plot) this.draw(this.plot.data);
  }

  remove() {
    resized.unobserve(this.box);
    all.delete(this);
    this.plot?.destroy();
  }
}

/** A history without the time before any server ran, so that the first minutes fill the chart. */
export function sinceStart(history) {
  const counts = Object.values(history.series);
  let first = 0;
  while (first < history.count - LEAST_SLOTS && counts.every(values => values[first] === null)) first++;
  return {
    ...history,
    from: history.from + first * history.step,
    count: history.count - first,
    series: Object.fromEntries(Object.entries(history.series).map(([name, values]) => [name, values.slice(first)])),
  };
}

function second(seconds) {
  return time(seconds * 1000, {timeStyle: 'medium'});
}

function hour(seconds) {
  return time(seconds * 1000, {hour: '2-digit', minute: '2-digit'});
}

function compact(value) {
  return value >= 1000 ? `${value / 1000}k` : String(value);
}

/** A list of outcomes with their rates, one item each. */
export class Legend {
  constructor(list) {
    this.list = list;
    this.items = new Map();
  }

  show(names, values) {
    for (const [name, item] of this.items) {
      if (!names.includes(name)) {
        item.root.remove();
        this.items.delete(name);
      }
    }
    for (const name of names) {
      let item = this.items.get(name);
      if (!item) {
        const value = element('b');
        value.dataset.outcome = name;
        const label = element('span');
        item = {value, label, root: element('li', {}, element(`span.swatch.${name}`), label, value)};
        this.items.set(name, item);
        this.list.append(item.root);
      }
      say(item.label, text(name));
      say(item.value, rate(values?.[name] ?? 0));
    }
  }
}

/** Per second, in the last seconds or the last minute of a history. */
function latest(series, step) {
  const slots = step === 1 ? LATEST_SECONDS : 1;
  return Object.fromEntries(Object.entries(series).map(([name, values]) => {
    const known = values.filter(value => value !== null).slice(-slots);
    return [name, known.length === 0 ? 0 : known.reduce((a, b) => a + b, 0) / known.length / step];
  }));
}

/** One sentence about a chart for those who do not see it. */
function sentence(name, series) {
  const counts = drawn(series).map(outcome =>
    `${text(outcome)} ${rate((series[outcome] ?? []).reduce((sum, value) => sum + (value ?? 0), 0))}`);
  return text('chartSentence', {name, counts: counts.join(', ')});
}
