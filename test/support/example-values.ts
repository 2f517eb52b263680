import type { WorldIds } from './world-ids.ts';

/** The time that replaces every time of the last minutes, in milliseconds since the epoch. Other times keep their distance in hours. */
const exampleTime = 1_790_000_000_000;
const hour = 3_600_000;
const day = 24 * hour;

/** Max items of a list, and lines of an export, in an example. */
const maxItems = 2;

/** Ids of the world that a request does not name. */
const names: Partial<Readonly<Record<keyof WorldIds, readonly string[]>>> = {
  organization: ['acme'],
  document: ['plan', 'roadmap'],
  newDocument: ['plan-2027'],
  folder: ['plans', 'plans-2027'],
  user: ['u1'],
  userGroup: ['designers'],
  agent: ['summarizer'],
  execution: ['run-1'],
  editor: ['notes'],
  notification: ['n1'],
  location: ['intro'],
  recording: ['r1'],
  annotation: ['thread-1'],
};

/** Replacements of measured or counted numbers by member. */
const measured: Readonly<Record<string, number>> = {
  requests: 1_200,
  errors: 3,
  bytesIn: 480_000,
  bytesOut: 1_900_000,
  p95Ms: 120,
  durationMs: 1_500,
  latencyMs: 85,
  responseTimeMs: 85,
  oldestAgeMs: 250,
  total: 20,
};

/** Replacements of texts that differ between machines and releases, by member. */
const fixed = {
  host: 'host-1',
  version: '1.0.0',
  buildId: '0123456789abcdef0123',
  address: '203.0.113.7',
  nextPageToken: 'MDEyMzQ1Njc4OWFiY2RlZg',
  pageToken: 'MDEyMzQ1Njc4OWFiY2RlZg',
  iterator: 'MDEyMzQ1Njc4OWFiY2RlZg',
  prevIterator: 'MDEyMzQ1Njc4OWFiY2RlZg',
} as const;

const jwt = 'eyJhbGciOiJFZERTQSIsImtpZCI6ImV4YW1wbGUifQ.eyJpc3MiOiJzdGV3YXJkIn0.c2lnbmF0dXJl';
const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY=';
const digest = '0123456789abcdefghijABCDEFGHIJ0123456789abc';

/** Replaces values that differ between runs. Equal values stay equal. */
export class Normalizer {
  readonly #known = new Map<string, string>();
  /** Values of the example, which a response keeps. */
  readonly #given = new Set<unknown>();
  readonly #counts = new Map<string, number>();
  readonly #now = Date.now();

  constructor(ids: Partial<WorldIds>, sent: unknown, example: unknown) {
    for (const [kind, known] of Object.entries(ids) as [keyof WorldIds, readonly string[]][])
      for (const [at, id] of known.entries()) {
        const name = names[kind]?.[at];
        if (name !== undefined) this.#known.set(id, name);
      }
    this.#pair(sent, example);
  }

  json(body: unknown): unknown {
    return this.#value(body, '');
  }

  /** The first lines of an export. */
  lines(text: string): string {
    const lines = text.split(/(?<=\n)/).slice(0, maxItems);
    return lines
      .map((line) =>
        line.startsWith('{') ? `${JSON.stringify(this.json(JSON.parse(line)))}\n` : this.#text(line),
      )
      .join('');
  }

  /** Maps the texts of the request to those of the example. */
  #pair(sent: unknown, example: unknown): void {
    this.#given.add(example);
    if (typeof sent === 'string' && typeof example === 'string') {
      if (sent !== example) this.#known.set(sent, example);
      return;
    }
    if (typeof sent !== 'object' || sent === null || typeof example !== 'object' || example === null) return;
    for (const name of Object.keys(sent)) this.#pair(Reflect.get(sent, name), Reflect.get(example, name));
  }

  #value(value: unknown, member: string): unknown {
    if (typeof value === 'string') return this.#named(value, member);
    if (typeof value === 'number') return this.#number(value, member);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const kept = value.some((item) => typeof item === 'object') ? value.slice(0, maxItems) : value;
      return kept.map((item) => this.#value(item, member));
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [this.#text(name), this.#value(part, name)]),
    );
  }

  #named(text: string, member: string): string {
    if (this.#given.has(text)) return text;
    if (member === 'host' && text === '127.0.0.1') return 'hooks.example.com';
    return text === '' ? '' : (fixed[member as keyof typeof fixed] ?? this.#text(text));
  }

  #number(value: number, member: string): number {
    if (member === 'startsAt') return exampleTime - (exampleTime % day);
    const example = measured[member];
    // A measured number may equal a number of the request by chance.
    if (example !== undefined) return example;
    if (this.#given.has(value)) return value;
    return value > 1_700_000_000_000 && value < 2_000_000_000_000 ? this.#time(value) : value;
  }

  #time(at: number): number {
    return exampleTime + Math.round((at - this.#now) / hour) * hour;
  }

  #text(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (/^[\w-]{43}$/.test(text)) return digest;
    return text
      .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, jwt)
      .replaceAll(/whsec_[\w+/]+=*/g, secret)
      .replaceAll(/[A-Za-z]+-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, (id) => this.#replaced(id))
      .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, (id) => this.#replaced(id))
      .replaceAll(/\b(?!whsec_)(?:key_0|[a-z]{2,5})_[\w-]{20,32}/g, (id) => this.#replaced(id))
      .replaceAll(/(?<!\d)1[78]\d{11}(?!\d)/g, (at) => String(this.#time(Number(at))))
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => new Date(this.#time(Date.parse(at))).toISOString())
      .replaceAll(/http:\/\/127\.0\.0\.1(?::\d+)?\/\w*/g, 'https://hooks.example.com/steward')
      .replaceAll('127.0.0.1', fixed.address);
  }

  /** Returns the id that stands for a generated one: the n-th of its kind. */
  #replaced(id: string): string {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const prefix = /^(?:key_0_|[a-z]+_|[A-Za-z]+-(?=[\da-f]{8}-))/.exec(id)?.[0] ?? '';
    const taken = new Set(this.#known.values());
    let made = '';
    do {
      const count = (this.#counts.get(prefix) ?? 0) + 1;
      this.#counts.set(prefix, count);
      made = generated(id.slice(prefix.length), prefix, count);
    } while (taken.has(made));
    this.#known.set(id, made);
    return made;
  }
}

/** An id of the same form that shows that it is an example. */
function generated(random: string, prefix: string, count: number): string {
  if (prefix.endsWith('-')) return `${prefix}${String(count)}`;
  if (prefix === '') return `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
  const digits = /^[\da-f]+$/.test(random)
    ? '0123456789abcdef'.repeat(2)
    : '0123456789abcdefghijABCDEFGHIJ00';
  return `${prefix}${digits.slice(0, random.length - 2)}${String(count).padStart(2, '0')}`;
}
