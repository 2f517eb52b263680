import type { Figure } from './figure.ts';
import { residentOf } from './process.ts';
import type { Bench } from './run.ts';
import type { Site } from './site.ts';
import type { BenchKey } from './tenant.ts';

const betweenLooks = 20;

/** Measures organizations/get without ids, which streams all organizations: the API's additional memory and the time to the first byte. */
export const streamOrganizations: Bench = async (site, { quick, show, signal }) => {
  const many = quick ? 100_000 : 1_000_000;
  const label = quick ? '100 k' : '1 M';
  show(`Loading ${label} organizations …`);
  const [few, all] = [await site.newKey(), await site.newKey()];
  await load(site, few, 10_000);
  await load(site, all, many);
  await site.sql.query('vacuum analyze organization');
  // Warm up: only the length of the response is measured.
  await stream(site, few, signal);
  show(`Streaming ${label} organizations …`);
  const before = residentOf(site.api.pid);
  let peak = 0;
  const looking = setInterval(() => (peak = Math.max(peak, residentOf(site.api.pid) ?? 0)), betweenLooks);
  const { items, firstByte, seconds } = await stream(site, all, signal).finally(() => clearInterval(looking));
  if (items !== many) throw new Error(`${String(items)} of ${String(many)} organizations were returned.`);
  const name = `organizations/get of all ${label}`;
  return [
    {
      name: `${name}: first byte`,
      unit: 'ms',
      steward: firstByte,
      target: { of: 'measured', is: 'at most', value: 200 },
    },
    { name: `${name}: whole response`, unit: 's', steward: seconds },
    ...memoryFigure(name, before, peak),
  ];
};

/** Empty where the system does not report it. */
function memoryFigure(name: string, before: number | undefined, peak: number): Figure[] {
  if (before === undefined) return [];
  const target = { of: 'measured', is: 'at most', value: 50 } as const;
  return [
    { name: `${name}: additional resident memory`, unit: 'MB', steward: Math.max(0, peak - before), target },
  ];
}

async function load({ sql }: Site, { id }: BenchKey, many: number): Promise<void> {
  await sql.query(
    `insert into organization (api_key_id, ext_id, name, metadata)
     select $1, 'organization-' || n, 'Organization ' || n, '{"plan": "gold", "seats": 12}' from generate_series(1, $2::int) as n`,
    [id, many],
  );
}

interface Streamed {
  readonly items: number;
  /** Milliseconds. */
  readonly firstByte: number;
  readonly seconds: number;
}

/** Reads the stream without keeping it. Counts the items by a member that each has once. */
async function stream({ api }: Site, { headers }: BenchKey, signal: AbortSignal): Promise<Streamed> {
  const began = performance.now();
  const response = await fetch(`${api.url}/v1/organizations/get`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"data":{}}',
    signal,
  });
  if (!response.ok || response.body === null) throw new Error('organizations/get was refused.');
  let firstByte: number | undefined;
  let items = 0;
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    firstByte ??= performance.now() - began;
    const parts = `${rest}${chunk}`.split(mark);
    items += parts.length - 1;
    rest = (parts.at(-1) ?? '').slice(-mark.length);
  }
  return { items, firstByte: firstByte ?? Number.NaN, seconds: (performance.now() - began) / 1_000 };
}

const mark = '"organizationName":';
