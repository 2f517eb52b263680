import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { turnsOf } from '../domain/webhooks/turns.ts';
import { startTestApi } from '../support/api.ts';
import { markdownPages } from '../support/markdown-page.ts';
import { pageBlocks } from '../support/page-blocks.ts';
import { aReceiver } from '../support/receiver.ts';
import { aListeningTenant, anEndpoint } from '../support/webhooks.ts';

const api = await startTestApi();
const receiver = await aReceiver();
const turns = turnsOf(api);
afterAll(async () => {
  await turns.close();
  await receiver.close();
  await api.close();
});

const program = (await pageBlocks('webhooks')).find(({ language }) => language === 'js')?.text ?? '';
const { publicKey, privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** Runs the page's program on a body. Returns the event. */
async function eventIn(body: string): Promise<unknown> {
  const source = `${program}console.log(JSON.stringify(eventIn(process.env.BODY, process.env.PRIVATE_KEY)));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], {
    env: { ...process.env, BODY: body, PRIVATE_KEY: privateKey },
  });
  return JSON.parse(stdout);
}

describe('README.md and docs/webhooks.md', () => {
  it('say which events are not recorded', async () => {
    const told = (await markdownPages())
      .filter(({ prose }) => prose.includes('vents are recorded only while the basic webhook is on'))
      .map(({ path }) => path);
    expect(told).toEqual(['README.md', 'docs/webhooks.md']);
  });
});

describe('docs/webhooks.md', () => {
  it.each([
    ['plain', {}, ['event', 'actionType', 'source', 'webhookId', 'version', 'sequence', 'data']],
    ['encoded', { encodeData: true }, ['encodedPayload']],
    [
      'encrypted',
      { encodeData: true, encryptData: true, publicKey },
      ['encryptedData', 'encryptedKey', 'iv'],
    ],
  ])('has a program that reads the event in a body that is %s', async (_form, configuration, members) => {
    const tenant = await aListeningTenant(api, configuration);
    const endpointId = await anEndpoint(api, tenant, receiver.url);
    receiver.forget();
    await turns.queued(tenant);
    await turns.turn(tenant, endpointId);
    const [{ id, text } = { id: '', text: '{}' }] = receiver.delivered;
    expect(Object.keys(JSON.parse(text) as object)).toEqual(members);
    expect(await eventIn(text)).toMatchObject({
      event: 'comment.add',
      webhookId: id,
      data: { actionUser: { userId: 'u1' } },
    });
  });
});
