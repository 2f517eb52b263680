import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** Migrations, statements of every resource, partitions, deliveries of webhooks and workflows. */
const selection = [
  'test/platform/database/',
  'test/domain/entities.test',
  'test/domain/deletion/free-json.test',
  'test/domain/maintenance/',
  'test/domain/webhooks/delivery-turn.test',
  'test/domain/webhooks/fan-out.test',
  'test/domain/webhooks/message-batches.test',
  'test/domain/webhooks/outage.test',
  'test/domain/webhooks/poison-events.test',
  'test/domain/webhooks/recovery.test',
  'test/api/folders-get.test',
  'test/api/permissions-',
  'test/api/users-get',
  'test/api/statement-counts.test',
  'test/workflows/migrate-document.test',
  'test/workflows/delete-user-data.test',
];

describe('PostgreSQL 15', () => {
  // Its timeout is above the limit of the inner run (test/run.ts), so that a hanging one prints what it did.
  it('passes a selection of the tests', async () => {
    const { NODE_OPTIONS: _jests, STEWARD_LONG_TESTS: _long, ...inherited } = process.env;
    const run = spawn(process.execPath, ['test/run.ts', ...selection], {
      // Only this user may read the folder of the run, but as root PostgreSQL runs under another account.
      env: { ...inherited, TEST_POSTGRES: '15', TMPDIR: dirname(tmpdir()) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed: string[] = [];
    for (const stream of [run.stdout, run.stderr]) stream.on('data', (chunk) => printed.push(String(chunk)));
    await once(run, 'close');
    const text = printed.join('');
    const missing = /^postgresql-15: not obtained.*$/m.exec(text)?.[0];
    if (missing !== undefined) {
      process.stderr.write(`${missing}\n`);
      return;
    }
    if (run.exitCode !== 0) throw new Error(text);
    expect(text).toMatch(/^[1-9]\d* passed, 0 failed$/m);
  }, 7_200_000);
});
