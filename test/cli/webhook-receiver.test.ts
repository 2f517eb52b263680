import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startReceiver } from '../../cli/demo/webhook-receiver.ts';
import { aRawCaller } from '../support/raw-caller.ts';

const receiver = await startReceiver();
afterAll(() => receiver.stop());

/** Sends a body with the signature of `signed`. */
async function send(body: string, secret: string, signed = body): Promise<number> {
  const at = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(`msg.${at}.${signed}`)
    .digest('base64');
  const headers = { 'webhook-id': 'msg', 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` };
  const { status } = await fetch(receiver.url, { method: 'POST', body, headers });
  return status;
}

/** Before the second response, the receiver has read everything that others wrote, and their resets. */
async function expectServing(): Promise<void> {
  for (let call = 0; call < 2; call += 1) {
    const { status } = await fetch(receiver.url, { method: 'POST', body: '{}' });
    expect(status).toBe(401);
  }
}

describe('the receiver of the demo', () => {
  it('survives a sender that resets its connection', async () => {
    // A rejection that nobody handles would fail this test's process.
    for (const sent of [
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{',
      'CONNECT a:1 HTTP/1.1\r\n\r\n',
    ]) {
      const sender = await aRawCaller(new URL(receiver.url).origin);
      await sender.write(sent);
      await expectServing();
      sender.socket.resetAndDestroy();
      await expectServing();
    }
  });

  it('accepts messages that are signed with its secret, and refuses others', async () => {
    const secret = Buffer.from('secret').toString('base64');
    const [body, refused] = ['{"webhookId":"msg"}', receiver.refused()];
    expect(await send(body, secret)).toBe(401);
    receiver.trust(`whsec_${secret}`);
    expect(await send(body, secret)).toBe(204);
    expect(await send(body, secret)).toBe(204);
    expect(await send('{"webhookId":"other"}', secret, body)).toBe(401);
    expect([[...receiver.events.keys()], receiver.repeated()]).toEqual([['msg'], 1]);
    expect(receiver.refused() - refused).toBe(2);
  });
});
