import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { obtainPostgresPrograms } from '../support/postgres-programs.ts';
import { restoreDrill } from './restore-drill.ts';

/** `npm run soak -- --restore` sets both. */
const size = Number(process.env['STEWARD_DRILL_SIZE'] ?? 500);
const reportFile = process.env['STEWARD_DRILL_REPORT'];

const programs = await obtainPostgresPrograms();
const copied = typeof programs === 'string';
if (copied) process.stderr.write(`${programs} The drill copies the files of the stopped database.\n`);

describe('a restore beside an empty Temporal', () => {
  it(`ends ${String(size)} open jobs and delivers to ${String(size)} endpoints`, async () => {
    const { violations, repeatedSequences, openJobs, ...times } = await restoreDrill({
      jobs: size,
      endpoints: size,
      programs: copied ? undefined : programs,
    });
    const report = {
      jobs: size,
      endpoints: size,
      backup: copied ? 'copy of files' : 'pg_dump',
      ...times,
      openJobs,
      repeatedSequences,
    };
    process.stderr.write(`restore: ${JSON.stringify(report)}\n`);
    const recoveredS = (Math.max(...Object.values(times)) / 1_000).toFixed(1);
    process.stderr.write(`restore: recovered in ${recoveredS} s (target for 500 of each: 60 s)\n`);
    if (reportFile !== undefined)
      await writeFile(reportFile, `${JSON.stringify({ ...report, violations }, undefined, 2)}\n`);
    expect(violations).toEqual([]);
    if (!copied) expect(repeatedSequences).toBe(size);
  }, 21_600_000);
});
