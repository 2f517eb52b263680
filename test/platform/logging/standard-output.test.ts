import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, createReadStream, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const urlOf = (file: string): string =>
  JSON.stringify(new URL(`../../../platform/logging/${file}`, import.meta.url).href);

/** Starts a process that logs to `stdout`. `program` may use `log`, which logs a number of lines of 1 KiB. */
function aProcess(format: 'json' | 'pretty', program: string, stdout: 'pipe' | number = 'pipe') {
  const source = `const { createLogger } = await import(${urlOf('logger.ts')});
    const { droppedLogLines } = await import(${urlOf('standard-output.ts')});
    const logger = createLogger({ level: 'info', format: '${format}', name: 'tests' });
    const log = (lines) => { while (lines-- > 0) logger.info({ padding: 'x'.repeat(1_000) }, 'line'); };
    ${program}`;
  return spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', stdout, 'ignore', 'ipc'],
  });
}

const linesOf = (output: string) =>
  output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly msg: string; readonly lines?: number });

describe.each(['json', 'pretty'] as const)('a process that logs in %s', (format) => {
  it('continues to run and exits on a full disk', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      const child = aProcess(format, 'log(5_000); setTimeout(() => process.exit(3), 300)', full);
      expect(await once(child, 'exit')).toEqual([3, null]);
    } finally {
      closeSync(full);
    }
  });

  it('continues to run and exits when the reader of its log has left', async () => {
    const child = aProcess(
      format,
      `process.once('message', () => {
         log(5_000);
         setTimeout(() => process.send(droppedLogLines(), () => process.exit(3)), 300);
       });
       process.send('ready');`,
    );
    await once(child, 'message');
    child.stdout?.destroy();
    child.send('left');
    const [dropped] = (await once(child, 'message')) as [number];
    expect(dropped).toBeGreaterThan(1_000);
    expect(await once(child, 'exit')).toEqual([3, null]);
  });

  it('continues to run and exits while the reader of its log stalls', async () => {
    // The second timer fires only if no write blocks; nothing reads standard output.
    const child = aProcess(format, 'log(3_000); setTimeout(() => { log(1); process.exit(3); }, 300)');
    expect(await once(child, 'exit')).toEqual([3, null]);
  });
});

describe('a process whose log is read late', () => {
  it('counts the lines that it dropped and logs their number', async () => {
    const child = aProcess(
      'json',
      `process.once('message', () => process.exit()); log(3_000); process.send(droppedLogLines());`,
    );
    const [dropped] = (await once(child, 'message')) as [number];
    expect(dropped).toBeGreaterThan(1_000);
    expect(dropped).toBeLessThan(2_500);
    let [read, asked] = ['', false];
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      read += chunk;
      if (!read.includes('log lines dropped') || asked) return;
      asked = true;
      child.send('exit');
    });
    await once(child, 'close');
    const lines = linesOf(read);
    expect(lines.filter(({ msg }) => msg === 'line')).toHaveLength(3_000 - dropped);
    expect(lines.filter(({ msg }) => msg === 'log lines dropped')).toMatchObject([{ lines: dropped }]);
  });
});

describe('a named pipe', () => {
  it('has for its next reader the lines that are logged after the first one has left', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'steward-log-'));
    const path = join(folder, 'log');
    await promisify(execFile)('mkfifo', [path]);
    // Opening the pipe to write needs a reader.
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    const child = aProcess(
      'json',
      `let calls = 0;
       process.on('message', () => {
         log(50);
         setTimeout(() => {
           process.send('logged');
           if (++calls === 2) process.exit();
         }, 300);
       });
       process.send('ready');`,
      writer,
    );
    closeSync(writer);
    await once(child, 'message');
    closeSync(reader);
    child.send('log');
    await once(child, 'message');
    const read = text(createReadStream(path));
    child.send('log');
    expect(linesOf(await read).filter(({ msg }) => msg === 'line')).toHaveLength(100);
    await rm(folder, { recursive: true });
  });
});

describe('the lines before the end of a process', () => {
  it.each([
    ['a regular exit', 'process.exit(0)'],
    ['a fatal error', `throw new Error('fatal')`],
  ])('arrive when it ends by %s', async (_, end) => {
    const child = aProcess('json', `log(800); ${end};`);
    expect(linesOf(await text(child.stdout ?? process.stdin))).toHaveLength(800);
  });
});
