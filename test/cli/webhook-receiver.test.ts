import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, it } from '@jest/globals';
import { startReceiver } from '../../cli/demo/webhook-receiver.ts';
import { aRawCaller } from '../support/raw-caller.ts';

const receiver = await startReceiver();
afterAll(() => receiver.stop());

it('the receiver of the demo survives a sender that resets its connection', async () => {
  // A rejection that nobody handles would fail this test's process.
  for (const sent of [
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{',
    'CONNECT a:1 HTTP/1.1\r\n\r\n',
  ]) {
    const sender = await aRawCaller(new URL(receiver.url).origin);
    await sender.write(sent);
    await pause(20);
    sender.socket.resetAndDestroy();
  }
  const response = await fetch(receiver.url, { method: 'POST', body: '{}' });
  expect(response.status).toBe(401);
});
