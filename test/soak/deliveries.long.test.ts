import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomInt } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { soakDeliveries } from './deliveries.ts';

/** `SOAK_DELIVERIES_MINUTES=5` runs longer, `SOAK_DELIVERIES_SEED` repeats the order of kills. */
const minutes = Number(process.env['SOAK_DELIVERIES_MINUTES'] ?? 1);
const seed = Number(process.env['SOAK_DELIVERIES_SEED'] ?? randomInt(2 ** 31));

describe('a sender', () => {
  it('sends each notification once, or again after an unknown attempt, while processes are killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'steward-soak-deliveries-'));
    const report = await soakDeliveries({ durationMs: minutes * 60_000, seed, folder });
    process.stderr.write(`${JSON.stringify({ seed, ...report })}\n`);
    expect(report.violations).toEqual([]);
    expect(report.planned).toBeGreaterThan(0);
    expect(report.repeated).toBeLessThanOrEqual(report.unknown);
    await rm(folder, { recursive: true });
  }, 3_600_000);
});
