import { readConfiguration } from '../../platform/config/read-configuration.ts';
import { exitCodes } from '../../platform/process/exit-codes.ts';
import { checkDatabase } from '../doctor/check-database.ts';
import { checkDisk } from '../doctor/check-disk.ts';
import { checkEmail } from '../doctor/check-email.ts';
import { checkOutbound } from '../doctor/check-outbound.ts';
import { checkTemporal } from '../doctor/check-temporal.ts';
import { guarded, type Finding } from '../doctor/finding.ts';
import type { Output } from '../output.ts';
import type { Surroundings } from '../settings.ts';

/** Checks everything that a deployment needs, without its API. Exit code 1 when a finding is serious. */
export async function doctor(surroundings: Surroundings): Promise<Output> {
  const configuration = readConfiguration(surroundings.environment, 'cli');
  const checked = await Promise.all([
    checkDatabase(surroundings),
    guarded('temporal', 'Temporal could not be checked: check TEMPORAL_ADDRESS and certificates.', async () =>
      checkTemporal(configuration),
    ),
    checkOutbound(configuration),
    guarded('disk', 'The data folder could not be read: give this user access.', async () =>
      checkDisk(surroundings.local),
    ),
  ]);
  const findings = [...checked.flat(), ...checkEmail(configuration)];
  return {
    lines: linesOf(findings),
    json: { findings },
    exitCode: findings.some(({ level }) => level === 'serious') ? exitCodes.failed : exitCodes.done,
  };
}

function linesOf(findings: readonly Finding[]): readonly string[] {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings.map(({ check, level, text }) => `${level.padEnd(7)}  ${check.padEnd(width)}  ${text}`);
}
