import { afterAll } from '@jest/globals';
import { startTestApi } from './api.ts';
import { aMailServer } from './mail-server.ts';
import { sendersOf } from './senders.ts';

/** An API, a mail server, and senders whose turns the tests of a file run. Closed after the last test. */
export async function sendingScene(options?: Parameters<typeof startTestApi>[0]) {
  const api = await startTestApi(options);
  const mail = await aMailServer();
  const senders = sendersOf(api, mail.url);
  afterAll(async () => {
    await senders.close();
    await mail.close();
    await api.close();
  });
  return { api, mail, senders };
}
