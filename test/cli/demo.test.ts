import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runDemo } from './demo-run.ts';

// A whole demo runs beside the Steward of test/start.test.ts; one that starts its own is in demo.long.test.ts.
describe('npm run demo', () => {
  it('rejects an invalid configuration in one line', async () => {
    const { exitCode, output } = await runDemo({ STEWARD_DATA_DIR: join(tmpdir(), 'none'), PORT: 'seven' });
    expect(exitCode).toBe(2);
    expect(output).toMatch(/^PORT was "seven"; it may be [^\n]*\n$/);
  });
});
