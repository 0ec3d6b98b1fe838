// Reads the attributes of a request from what somebody pastes, and from the key of a denial.

/** Attributes of a pasted text: JSON of a check, its URL or query, the head of an HTTP request, a line of an access log. */
export function readRequest(pasted) {
  const content = pasted.trim();
  if (content === '') return null;
  return fromJson(content) ?? fromHead(content) ?? fromLogLine(content) ?? fromQuery(content);
}

function fromJson(content) {
  if (!content.startsWith('{')) return null;
  let json;
  try {
    json = JSON.parse(content);
  } catch {
    return null;
  }
  const attributes = json.attributes ?? json;
  const entries = Object.entries(attributes).filter(([, value]) => ['string', 'number'].includes(typeof value));
  if (entries.length === 0) return null;
  return {attributes: entries.map(([name, value]) => [name, String(value)]), cost: json.attributes ? json.cost ?? 1 : 1};
}

/** POST /login HTTP/1.1, and header fields below. */
function fromHead(content) {
  const lines = content.split(/\r?\n/);
  const first = /^([A-Z]{3,10}) (\S+)(?: HTTP\/[\d.]+)?$/.exec(lines[0]);
  if (!first) return null;
  const attributes = [['method', first[1]], ['path', withoutQuery(first[2])]];
  for (const line of lines.slice(1)) {
    const field = /^([\w-]+):\s*(.*)$/.exec(line);
    if (!field) break;
    const name = field[1].toLowerCase();
    if (name === 'host') attributes.push(['host', field[2]]);
    else if (name === 'x-real-ip') attributes.push(['ip', field[2]]);
    else if (name === 'x-forwarded-for') attributes.push(['ip', field[2].split(',')[0].trim()]);
    else attributes.push([`header.${name}`, field[2]]);
  }
  return {attributes, cost: 1};
}

/** 203.0.113.9 - ada [16/Nov/2026:10:00:00 +0000] "POST /login HTTP/1.1" … */
function fromLogLine(content) {
  const line = /^(\S+) \S+ (\S+) \[[^\]]+\] "([A-Z]{3,10}) (\S+)/.exec(content);
  if (!line) return null;
  const attributes = [['ip', line[1]], ['method', line[3]], ['path', withoutQuery(line[4])]];
  if (line[2] !== '-') attributes.push(['user', line[2]]);
  return {attributes, cost: 1};
}

function fromQuery(content) {
  const first = content.split(/\s/)[0];
  const query = first.includes('?') ? first.slice(first.indexOf('?') + 1) : first;
  if (!query.includes('=')) return null;
  const attributes = [...new URLSearchParams(query)].filter(([name]) => name !== 'cost' && name !== 'leaseMs');
  const cost = Number(new URLSearchParams(query).get('cost') ?? 1);
  return attributes.length === 0 ? null : {attributes, cost: Number.isInteger(cost) && cost >= 0 ? cost : 1};
}

const withoutQuery = path => path.split('?')[0];

/** The values of a key, which are joined by '|'; null for an attribute that the request had not. */
export function keyValues(key) {
  const values = [''];
  for (let i = 0; i < key.length; i++) {
    if (key[i] === '\\' && key[i + 1] === '-') {
      values[values.length - 1] = null;
      i++;
    } else if (key[i] === '\\' && i + 1 < key.length) {
      values[values.length - 1] = (values[values.length - 1] ?? '') + key[++i];
    } else if (key[i] === '|') {
      values.push('');
    } else {
      values[values.length - 1] = (values[values.length - 1] ?? '') + key[i];
    }
  }
  return values;
}

/** A request that a rule applies to and that has a key: what the key says, and for conditions a value that matches. */
export function requestOf(rule, key) {
  const attributes = new Map();
  for (const condition of rule.when) {
    const plain = condition.any.find(value => !/[*?[\]{}/]|^not /.test(value)) ?? condition.any[0];
    if (plain !== undefined) attributes.set(condition.attribute, sample(plain));
  }
  const values = rule.key.length === 0 ? [] : keyValues(key);
  rule.key.forEach((name, i) => {
    if (values[i] !== null && values[i] !== undefined) attributes.set(name, values[i]);
  });
  return {attributes: [...attributes], cost: 1};
}

/** A value that a glob matches, as far as that is simple; a network's own address. */
function sample(pattern) {
  return /^[\d.:a-f]+\/\d+$/i.test(pattern) ? pattern.split('/')[0] : pattern.replaceAll('**', 'x').replaceAll('*', 'x');
}
