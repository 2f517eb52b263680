import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { inherited } from '../start/npm-start.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs what `npm run demo` runs, without the configuration of this environment. */
export async function runDemo(
  environment: NodeJS.ProcessEnv,
): Promise<{ exitCode: number | null; output: string }> {
  const child = spawn(process.execPath, ['cli/demo.ts'], {
    cwd: root,
    env: { ...inherited(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { exitCode, output };
}

/** Expects the output of a demo that has proved the guarantees for migrations, events and deletions. */
export function expectProven(output: string): void {
  expect(output).toContain('All checks passed');
  expect(output).toMatch(/They match the [1-9]\d+,\d{3} acknowledged activity logs, id by id/);
  expect(output).toMatch(/http:\/\/\S+\/namespaces\/default\/workflows\/document-migration%2Fjob_[\w-]+/);
  expect(output).toMatch(/The server returned 204 to a test message: its signature is valid/);
  expect(output).toMatch(/paragraph\.edit \d{3,} times, document\.migrated once, each signed/);
  expect(output).toMatch(/Numbered from 1 to \d{3,} without a gap/);
  expect(output).toContain('Its comment thread followed it: clause-4, each comment and reaction as before');
  expect(output).toMatch(/Deleted: 2,000 activities, 20\d mentions, .*1 comments, 1 reactions, .*1 user/);
  expect(output).toMatch(/The comment thread stays with ada's reply, and no longer names linus-\w+/);
  expect(output).toMatch(/The receipt is signed by key \S+ of \/\.well-known\/jwks\.json/);
  expect(output).toMatch(/users\/data\/get finds no data of linus-\w+/);
  expect(output.match(/StewardJobId = "job_[\w-]+" {2}found 1 /g)).toHaveLength(2);
  expect(output).toMatch(/StewardOrganizationId = "acme-\w+" {2}found 1 /);
}
