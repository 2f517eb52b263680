import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { connectionsWithin } from '../../../../api/http/connection/open-files.ts';

/** What a process finds whose limits are those of `ulimit -n`. */
async function foundWith(limit: number): Promise<string> {
  const url = new URL('../../../../api/http/connection/open-files.ts', import.meta.url).href;
  const program = `console.log((await import(${JSON.stringify(url)})).maxOpenFiles())`;
  const command = `ulimit -n ${String(limit)} && exec "$0" --input-type=module -e "$1"`;
  const child = spawn('sh', ['-c', command, process.execPath, program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return (await text(child.stdout)).trim();
}

describe('the connections of a process', () => {
  it('leave room for other files within the limit of the process', () => {
    expect(connectionsWithin(4_000, undefined)).toBe(4_000);
    expect(connectionsWithin(4_000, 65_536)).toBe(4_000);
    expect(connectionsWithin(4_000, 4_096)).toBe(3_840);
    expect(connectionsWithin(4_000, 150)).toBe(75);
  });

  it('follow the limit that the system sets', async () => {
    expect(await foundWith(150)).toBe(process.platform === 'linux' ? '150' : 'undefined');
  });
});
