import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, describe, expect, it } from '@jest/globals';
import { choosePort } from '../../../local/ports.ts';
import { post } from '../../attacks/sockets.ts';
import { startTestApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { anOrganization, aTenant } from '../../support/factories.ts';
import { scrape } from '../../support/metrics.ts';

const port = await choosePort(undefined);
const api = await startTestApi({ environment: { METRICS_PORT: String(port) } });
afterAll(api.close);

const heldBytes = async (): Promise<number> =>
  (await scrape(port)).series.get('steward_api_body_budget_bytes') ?? 0;

describe('a call whose caller resets the connection', () => {
  it('keeps its body charged until the call has ended', async () => {
    const tenant = await aTenant(api);
    const neighbor = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    const blocker = await api.database.connect();
    await blocker.query('begin');
    await blocker.query('select 1 from organization where api_key_id = $1 for update', [tenant.id]);
    const data = { organizations: [{ organizationId, organizationName: 'after' }] };
    const body = JSON.stringify({ data }).padEnd(900_000);
    const { hostname, port: apiPort } = new URL(api.url);
    const socket = connect(Number(apiPort), hostname);
    await once(socket, 'connect');
    socket.write(post('/v2/organizations/update', tenant.headers, body));
    await eventually(async () => {
      const waiting = await api.database.sql(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(waiting).toHaveLength(1);
    });
    socket.resetAndDestroy();
    for (let calls = 0; calls < 20; calls += 1) {
      await neighbor.ok('/v2/organizations/get');
      expect(await heldBytes()).toBeGreaterThanOrEqual(body.length);
    }
    await blocker.query('rollback');
    await eventually(async () => expect(await heldBytes()).toBe(0));
  });
});
