import { crdtTypeNumbers } from '../domain/crdt/record.ts';
import { pack } from '../domain/crdt/stored-bytes.ts';
import { blocks, decode, typed, type YjsDocument } from './crdt-documents.ts';
import { median, type Figure } from './figure.ts';
import { inTurn } from './in-turn.ts';
import { load, type Target } from './load.ts';
import type { Bench, Run } from './run.ts';
import type { Site } from './site.ts';
import { documentId, organizationId } from './tenant.ts';

const connections = 10;
/** Number of records that are read repeatedly. */
const readAgain = 100;

/** Compares crdt/get of 100 kB with reading the same by Yjs alone, on one core without server and database. */
export const readCrdt: Bench = async (site, run) => {
  const figures: Figure[] = [];
  for (const document of [blocks(), typed()]) {
    run.show(`crdt/get of 100 kB, ${document.name} …`);
    figures.push(...(await readDocument(site, run, document)));
  }
  return figures;
};

async function readDocument(site: Site, run: Run, document: YjsDocument): Promise<Figure[]> {
  const records = run.quick ? 200 : 1_000;
  const targets = await loadRecords(site, document, records);
  await compareResponse(site, document);
  const [first, again, stored, alone]: [number[], number[], number[], number[]] = [[], [], [], []];
  const lasting = async (of: readonly Target[]): Promise<number> => {
    const rate = await load(everyOne(of), { connections, amount: of.length });
    const amount = connections * Math.max(2, Math.round((rate * run.rounds.seconds) / connections));
    return load(everyOne(of), { connections, amount });
  };
  // Rounds with a negative number warm up and do not count.
  for (let round = run.quick ? 0 : -1; round <= run.rounds.number; round += 1) {
    run.signal.throwIfAborted();
    const yjs = decodeAlone(document, run.rounds.seconds);
    await makeDecoded(site, document);
    const everything = await lasting(targets);
    await forgetDecoded(site);
    const one = await load(everyOne(targets), { connections, amount: records });
    const few = await lasting(targets.slice(0, readAgain));
    if (round < 1) continue;
    alone.push(yjs);
    stored.push(everything);
    first.push(one);
    again.push(few);
  }
  const name = `crdt/get of 100 kB, ${document.name}`;
  return [
    figureOf(`${name}, first read`, first, alone, 0.8),
    figureOf(`${name}, ${String(readAgain)} read repeatedly`, again, alone, 5),
    figureOf(`${name}, ${String(records)} from the database, decoded`, stored, alone),
  ];
}

function figureOf(
  name: string,
  ours: readonly number[],
  alone: readonly number[],
  minRatio?: number,
): Figure {
  return {
    name,
    unit: 'req/s',
    steward: median(ours),
    against: { name: 'Yjs and JSON alone, one core', measured: median(alone) },
    ratio: median(ours.map((rate, round) => rate / (alone[round] ?? Number.NaN))),
    ...(minRatio !== undefined && { target: { of: 'ratio', is: 'at least', value: minRatio } }),
  };
}

/** Returns the reads per second. */
function decodeAlone(document: YjsDocument, seconds: number): number {
  const began = performance.now();
  let reads = 0;
  while (performance.now() - began < seconds * 1_000) {
    decode(document);
    reads += 1;
  }
  return (reads * 1_000) / (performance.now() - began);
}

const editorOf = ({ name }: YjsDocument, number: number): string => `${name} ${String(number)}`;

/** Loads records of one document with the same content, and with decoded content as a write through the API stores it. */
async function loadRecords(
  { sql, api, tenant }: Site,
  document: YjsDocument,
  many: number,
): Promise<Target[]> {
  const { type, contentKey, update } = document;
  const decoded = decode(document);
  const state = pack(update);
  const editors = Array.from({ length: many }, (_, n) => editorOf(document, n));
  await sql.query(
    `insert into crdt (api_key_id, org_id, document_id, editor_id, type, content_key, state, state_codec, decoded, decoded_bytes)
     select $1, $2, $3, unnest($4::text[]), $5, $6, $7, $8, $9, octet_length($9)`,
    [
      tenant.id,
      tenant.organization,
      tenant.document,
      editors,
      crdtTypeNumbers[type],
      contentKey,
      state.bytes,
      state.codec,
      decoded,
    ],
  );
  return editors.map((editorId) => ({
    url: `${api.url}/v2/crdt/get`,
    headers: tenant.headers,
    body: JSON.stringify({ data: { organizationId, documentId, editorId } }),
  }));
}

/** Stores decoded content as a write through the API does: a record that has not been read since. */
async function makeDecoded({ sql, tenant }: Site, document: YjsDocument): Promise<void> {
  const decoded = decode(document);
  await sql.query(
    `update crdt set version = version + 1, decoded = $3, decoded_bytes = octet_length($3), decoded_version = version + 1
     where api_key_id = $1 and editor_id like $2 || ' %'`,
    [tenant.id, document.name, decoded],
  );
  await sql.query('vacuum analyze crdt');
}

/** Makes the decoded content stale, as after concurrent writes. */
async function forgetDecoded({ sql, tenant }: Site): Promise<void> {
  await sql.query(
    `update crdt set version = version + 1, decoded = '""', decoded_bytes = 2 where api_key_id = $1`,
    [tenant.id],
  );
  await sql.query('vacuum analyze crdt');
}

function everyOne(targets: readonly Target[]): Target {
  const [one] = targets;
  if (one === undefined) throw new Error('There is nothing to read.');
  return { ...one, body: inTurn(targets.map(({ body }) => (typeof body === 'string' ? body : body()))) };
}

async function compareResponse({ tenant }: Site, document: YjsDocument): Promise<void> {
  const editorId = editorOf(document, 0);
  const { data } = await tenant.steward.crdt.get({ organizationId, documentId, editorId });
  if (JSON.stringify(data[0]?.data) !== decode(document)) throw new Error('crdt/get returned other content.');
}
