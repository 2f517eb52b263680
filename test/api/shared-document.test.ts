import { describe, expect, it } from '@jest/globals';
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
