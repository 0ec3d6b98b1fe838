// What each algorithm holds at a moment, from the decisions that the real limiters made. Times are microseconds.

/** How many of the ascending times are at most a moment. */
export function countUpTo(times, moment) {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The times in (after, upTo]. */
const between = (times, after, upTo) => times.slice(countUpTo(times, after), countUpTo(times, upTo));

/**
 * A function from a moment to the state of one algorithm: `kind`, how much is `used` of the `capacity`, and what its
 * drawing needs. `result` is the answer of /simulate.json, `each` one of its algorithms.
 */
export function stateOf(result, each) {
  const times = result.arrivalsMicros.filter((_, i) => each.decisions[i] === '1');
  const period = result.periodMicros;
  const common = {capacity: each.capacity, permits: each.permits, period};
  switch (each.algorithm) {
    case 'fixed-window':
    case 'fixed-window-aligned':
      return windows(times, period, each.algorithm === 'fixed-window-aligned', common);
    case 'sliding-window':
    case 'sliding-window-weighted':
      return slices(times, period / result.slices, result.slices, each.algorithm === 'sliding-window-weighted', common);
    case 'sliding-log':
      return moment => {
        const entries = between(times, moment - period, moment);
        return {...common, kind: 'log', used: entries.length, entries};
      };
    case 'token-bucket': {
      const level = bucket(times, each.permits / period, each.capacity);
      return moment => {
        const water = level(moment);
        return {...common, kind: 'tokens', used: ceiling(water), level: each.capacity - water, left: each.capacity - ceiling(water)};
      };
    }
    case 'leaky-bucket': {
      const level = bucket(times, each.permits / period, each.capacity);
      return moment => ({...common, kind: 'water', used: ceiling(level(moment)), level: level(moment)});
    }
    case 'leaky-bucket-queue': {
      const level = bucket(times, each.permits / period, each.capacity);
      const starts = times.map((time, i) => time + (each.delaysMicros?.[i] ?? 0));
      return moment => ({
        ...common, kind: 'queue', used: ceiling(level(moment)),
        waiting: starts.slice(countUpTo(starts, moment), countUpTo(times, moment)),
      });
    }
    case 'concurrency':
      return moment => {
        const first = countUpTo(times, moment - result.holdMicros);
        const running = times.slice(first, countUpTo(times, moment))
          .map((time, i) => ({place: (first + i) % each.permits, done: (moment - time) / result.holdMicros}));
        return {...common, kind: 'running', used: running.length, running};
      };
    default:
      throw new Error(`unknown algorithm: ${each.algorithm}`);
  }
}

/** Rounds up, but forgives what adding up fractions of a permit costs. */
const ceiling = value => Math.ceil(value - 1e-6);

function windows(times, period, aligned, common) {
  const begins = [];
  for (const time of times) {
    const last = begins[begins.length - 1];
    if (last === undefined || time >= last + period) begins.push(aligned ? Math.floor(time / period) * period : time);
  }
  return moment => {
    const open = countUpTo(begins, moment);
    let from = open === 0 ? undefined : begins[open - 1];
    if (from !== undefined && moment >= from + period) from = undefined;
    if (aligned) from = Math.floor(moment / period) * period;
    const entries = from === undefined ? [] : between(times, from - 1, moment);
    return {...common, kind: 'window', used: entries.length, entries, from};
  };
}

function slices(times, slice, count, weighted, common) {
  return moment => {
    const current = Math.floor(moment / slice);
    const parts = [];
    let used = 0;
    for (let i = current - count; i <= current; i++) {
      const held = countUpTo(times, Math.min(moment, (i + 1) * slice - 1)) - countUpTo(times, i * slice - 1);
      const weight = weighted && i === current - count ? 1 - (moment - current * slice) / slice : 1;
      if (held > 0) parts.push({from: i * slice, to: (i + 1) * slice, count: held, weight});
      used += held * weight;
    }
    return {...common, kind: weighted ? 'weighted' : 'slices', used: ceiling(used), parts, slice};
  };
}

/** How full a bucket is to which each time adds one, and which drains at a rate. */
function bucket(times, rate, capacity) {
  const after = [];
  let level = 0;
  times.forEach((time, i) => {
    level = (i === 0 ? 0 : Math.max(0, level - (time - times[i - 1]) * rate)) + 1;
    after.push(Math.min(level, capacity));
    level = after[i];
  });
  return moment => {
    const count = countUpTo(times, moment);
    return count === 0 ? 0 : Math.max(0, after[count - 1] - (moment - times[count - 1]) * rate);
  };
}
