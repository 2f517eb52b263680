import { connect, type Socket } from 'node:net';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { aTenant, calledThrough, type TestTenant } from '../../support/factories.ts';
import { killed, startProcess, type TestProcess } from '../../support/processes.ts';

/** This API writes the large records. The process is the one under attack. */
const api = await startTestApi();
const attacked = await startProcess('api', api.database.url);
afterAll(async () => {
  await killed(attacked);
  await api.close();
});

const organizationId = 'acme';
/** Exceeds a page of 10 MiB. */
const records = 60;
const attacker = await aTenant(api);
const other = await aTenant(api);
const connections = 200;
const largestResident = 600;

/** Memory of the process in megabytes. */
async function resident({ pid }: TestProcess): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}

function request({ headers }: TestTenant, path: string, data: object): string {
  const body = JSON.stringify({ data });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [
    `POST ${path} HTTP/1.1`,
    'Host: steward',
    ...lines,
    `Content-Length: ${String(body.length)}`,
    '',
    body,
  ].join('\r\n');
}

/** Opens a connection that sends and never reads. */
function unread(text: string): Socket {
  const { hostname, port } = new URL(attacked.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(text);
  return socket;
}

const read = () => request(attacker, '/v2/activities/get', { organizationId, pageSize: 1_000 });

/** Reads small pages of another tenant until `enough`. Returns the peak memory in megabytes. */
async function whileOthersRead(): Promise<number> {
  let largest = 0;
  const small = calledThrough(attacked, other);
  for (let calls = 0; calls < 40; calls += 1) {
    expect((await small.ok<unknown[]>('/v2/organizations/get', { pageSize: 1 })).data).toHaveLength(1);
    largest = Math.max(largest, await resident(attacked));
  }
  return largest;
}

beforeAll(async () => {
  for (const tenant of [attacker, other]) {
    await tenant.ok('/v2/organizations/add', { organizations: [{ organizationId }] });
  }
  await attacker.ok('/v2/organizations/documents/add', { organizationId, documents: [{ documentId: 'd' }] });
  await api.database.sql(
    `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, content_hash, body)
     select d.api_key_id, d.org_id, d.id, 'a' || n, n, 1, 'x', 0, '', json_build_object('featureType', 'comment', 'actionType', 'x',
       'actionUser', json_build_object('userId', 'u'), 'entityData', repeat('x', 256000))
     from document d, generate_series(1, $2::integer) n where d.api_key_id = $1`,
    [attacker.id, records],
  );
});

describe('an API whose responses are not read', () => {
  // test/attacks covers one connection that pipelines as many requests, and callers that do read.
  it('stays small and serves others when 200 connections request 10 MiB each', async () => {
    const sockets = Array.from({ length: connections }, () => unread(read()));
    expect(await whileOthersRead()).toBeLessThan(largestResident);
    for (const socket of sockets) socket.destroy();
    await eventually(
      async () =>
        (await calledThrough(attacked, attacker).call('/v2/activities/get', { organizationId, pageSize: 1 }))
          .status === 200,
    );
    // Other load on the machine can slow down the 40 calls.
  });
});
