import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { svixProvider } from '../../../domain/webhooks/svix/svix-provider.ts';
import { aReceiver, responding, type ReceiverBehavior } from '../../support/receiver.ts';
import { svixToken } from '../../support/svix-server.ts';

const server = await aReceiver();
afterAll(server.close);

const provider = svixProvider({ token: svixToken, serverUrl: server.url });

/** Posts an event to a Svix server that behaves so. */
async function posted(behavior: ReceiverBehavior) {
  server.behave(behavior);
  const message = {
    applicationId: 'app',
    eventId: 'evt_1',
    eventType: 'comment.add',
    payload: {},
    channels: [],
  };
  return provider.post(message, AbortSignal.timeout(60_000));
}

/** The JSON of a message with more than 16 MiB. */
const large = JSON.stringify({ payload: 'x'.repeat(16_777_216) });

describe('a response of Svix', () => {
  it('is stored as PostgreSQL accepts it, also when a proxy sends it', async () => {
    expect(await posted(responding(502, {}, 'Bad\u0000 gateway'))).toMatchObject({ response: 'Bad gateway' });
  });

  it('is read up to 16 MiB', async () => {
    expect(await posted(responding(200, {}, JSON.stringify({ payload: 'x'.repeat(16_000_000) })))).toEqual({
      httpStatus: 202,
      error: null,
      response: '',
    });
    const refused = { httpStatus: null, error: 'Svix did not respond.', response: '' };
    expect(await posted(responding(200, {}, large))).toEqual(refused);
    expect(await posted(responding(500, {}, large))).toEqual(refused);
  });

  it('is read up to 16 MiB after decompression', async () => {
    const compressed = gzipSync(large);
    const behavior: ReceiverBehavior = (_delivered, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(compressed);
    };
    expect(await posted(behavior)).toMatchObject({ error: 'Svix did not respond.' });
  });

  it('is not followed when it is a redirect', async () => {
    server.forget();
    expect(await posted(responding(307, { location: '/elsewhere' }))).toMatchObject({
      httpStatus: 307,
      error: 'Svix responded with 307.',
    });
    expect(server.delivered).toHaveLength(1);
  });
});
