import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { saying } from '../../../support/ai-providers.ts';
import { eventually } from '../../../support/eventually.ts';
import { calledThrough } from '../../../support/factories.ts';
import { startProcess } from '../../../support/processes.ts';
import { path, prompt, rewriterScene, text } from '../../rewriter/rewriter-scene.ts';

const scene = await rewriterScene();

describe('an API after SIGTERM', () => {
  it('ends an AI call whose model takes 25 s', async () => {
    const { providers, api, temporal, tenant } = scene;
    providers.behave(async (...call) => {
      await pause(25_000);
      await saying('Would you send me the plan?')(...call);
    });
    const draining = await startProcess('api', api.database.url, { ...temporal, STEWARD_DRAIN_DELAY: '0s' });
    const call = calledThrough(draining, tenant).call(path, { model: 'gpt-4o', prompt, text });
    await eventually(() => providers.received.length === 1);
    const [code, { status, body, headers }] = await Promise.all([draining.stop(), call]);
    expect([status, body.result]).toEqual([200, expect.objectContaining({ success: true })]);
    expect([headers['connection'], code]).toEqual(['close', 0]);
  }, 120_000);
});
