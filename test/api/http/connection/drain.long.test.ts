import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { saying } from '../../../support/ai-providers.ts';
import type { Response } from '../../../support/client.ts';
import { eventually } from '../../../support/eventually.ts';
import { calledThrough } from '../../../support/factories.ts';
import { startProcess } from '../../../support/processes.ts';
import { path, prompt, rewriterScene, text } from '../../rewriter/rewriter-scene.ts';

const scene = await rewriterScene();

describe('an API after SIGTERM', () => {
  it('ends an AI call whose model takes 15 s', async () => {
    const { providers, api, temporal, tenant } = scene;
    providers.behave(async (...call) => {
      await pause(15_000);
      await saying('Would you send me the plan?')(...call);
    });
    const draining = await startProcess('api', api.database.url, { ...temporal, STEWARD_DRAIN_DELAY: '0s' });
    const call = await eventually(async () => {
      const before = providers.received.length;
      const called = calledThrough(draining, tenant).call(path, { model: 'gpt-4o', prompt, text });
      let early: Response | undefined;
      void called.then(
        (response) => (early = response),
        () => undefined,
      );
      await eventually(() => early !== undefined || providers.received.length > before);
      // On a slow machine, Temporal may not start the call in time.
      if (early?.status === 503) return false;
      return { called };
    });
    const [code, { status, body, headers }] = await Promise.all([draining.stop(), call.called]);
    expect([status, body.result]).toEqual([200, expect.objectContaining({ success: true })]);
    expect([headers['connection'], code]).toEqual(['close', 0]);
  });
});
