import { afterAll, describe, expect, it } from '@jest/globals';
import { ChannelListener, type ExpectedNotification } from '../../../platform/database/channel-listener.ts';
import { aDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const channel = 'some Channel';
const database = await aDatabase();
const listener = new ChannelListener({ url: database.directUrl, channel });
afterAll(async () => {
  await listener.close();
  await database.drop();
});

const notify = async (payload: string): Promise<unknown> =>
  database.sql('select pg_notify($1, $2)', [channel, payload]);

const listening = async (): Promise<number | undefined> => {
  const [found] = await database.sql<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'steward-notices' and datname = current_database()
       and query like 'listen%' and state = 'idle'`,
  );
  return found?.pid;
};

/** Waits until a connection listens. Renews the wait each time, like callers. */
async function received(payload: string): Promise<ExpectedNotification> {
  return eventually(async () => {
    const awaited = listener.expect(payload);
    if ((await listening()) === undefined) throw new Error('Nobody listens yet.');
    await notify(payload);
    await eventually(() => expect(awaited.arrived.aborted).toBe(true));
    return awaited;
  });
}

describe('notifications of a channel', () => {
  it('abort the signal of their payload once their transaction commits', async () => {
    (await received('first')).cancel();
    const [mine, other] = [listener.expect('mine'), listener.expect('other')];
    const writer = await database.connect();
    await writer.query('begin');
    await writer.query('select pg_notify($1, $2)', [channel, 'mine']);
    await notify('something else');
    expect(mine.arrived.aborted).toBe(false);
    await writer.query('commit');
    await eventually(() => expect(mine.arrived.aborted).toBe(true));
    expect(other.arrived.aborted).toBe(false);
    mine.cancel();
    other.cancel();
  });

  it('arrive again after the loss of their connection', async () => {
    const pid = (await received('before')) && (await listening());
    await database.sql('select pg_terminate_backend($1)', [pid]);
    await eventually(async () => expect(await listening()).not.toBe(pid));
    (await received('after')).cancel();
    expect(await listening()).not.toBe(pid);
  });

  it('do not arrive and do not throw while the database is unavailable', async () => {
    const nowhere = new ChannelListener({ url: 'postgres://nobody@127.0.0.1:1/nothing', channel });
    const awaited = nowhere.expect('x');
    nowhere.expect('y').cancel();
    expect(awaited.arrived.aborted).toBe(false);
    await nowhere.close();
    expect(nowhere.expect('z').arrived.aborted).toBe(false);
  });
});
