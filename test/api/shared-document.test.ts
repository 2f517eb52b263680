import { describe, expect, it } from '@jest/globals';
import { madeOnce } from '../../api/cached-page.ts';
import { endpoints } from '../../api/endpoints.ts';
import { openApiSource } from '../../api/openapi/shared-document.ts';

describe('the OpenAPI document of a process', () => {
  it('is built once for concurrent callers, and lets other work run meanwhile', async () => {
    const source = openApiSource(endpoints, 'https://steward.example.com/');
    let ended = false;
    let turns = 0;
    const countTurns = (): void => {
      if (ended) return;
      turns += 1;
      setImmediate(countTurns);
    };
    countTurns();
    const [one, other] = await Promise.all([source(), source()]);
    ended = true;
    expect(other).toBe(one);
    expect(one['servers']).toEqual([{ url: 'https://steward.example.com' }]);
    // Without pauses, there is at most one turn.
    expect(turns).toBeGreaterThan(3);
  });
});

describe('the content of a page', () => {
  it('is rendered at the first request only, and again after a failure', async () => {
    let calls = 0;
    const made = madeOnce(async () => {
      calls += 1;
      await Promise.resolve();
      if (calls === 1) throw new Error('No file handle is free.');
      return `content ${String(calls)}`;
    });
    await expect(Promise.all([made(), made()])).rejects.toThrow('No file handle is free.');
    expect(calls).toBe(1);
    expect(await Promise.all([made(), made()])).toEqual(['content 2', 'content 2']);
    expect(await made()).toBe('content 2');
  });
});
