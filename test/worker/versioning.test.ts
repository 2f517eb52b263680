import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Finding } from '../../cli/doctor/finding.ts';
import type { WorkerDeployment } from '../../platform/temporal/worker-deployment.ts';
import { runCommand } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { aDocument, aTenant, freshId, type TestTenant } from '../support/factories.ts';
import type { TestProcess } from '../support/processes.ts';
import { itInFull } from '../support/tier.ts';
import { anInstallation, ended, migrate, statusOf, type Installation } from '../workflows/migrations.ts';

/* The tests run in order. */
let installation: Installation;
let tenant: TestTenant;
let one: TestProcess;

beforeAll(async () => {
  installation = await anInstallation();
  tenant = await aTenant(installation.api);
  one = await installation.startWorker({ STEWARD_WORKER_VERSIONING: 'manual', STEWARD_BUILD_ID: 'one' });
});
afterAll(async () => {
  process.exitCode = 0;
  await installation.close();
});

const command = async (line: string, environment: Readonly<Record<string, string>> = {}) =>
  runCommand(installation.api, line.split(' '), { ...installation.temporal, ...environment });

const deploy = async (line: string, environment: Readonly<Record<string, string>> = {}) =>
  JSON.parse(await command(`deploy ${line} --json`, environment)) as WorkerDeployment;

async function doctorOnBuilds(): Promise<string> {
  const { findings } = JSON.parse(await command('doctor --json')) as { findings: Finding[] };
  const found = findings.find(({ check }) => check === 'builds');
  return `${found?.level ?? ''}: ${found?.text ?? ''}`;
}

/** Migrates a document and waits for the end. */
async function works(): Promise<void> {
  const document = await aDocument(tenant);
  const migrationId = await migrate(tenant, document, freshId('moved'));
  expect((await ended(tenant, document, migrationId)).status).toBe('completed');
}

describe('a worker with manual versioning', () => {
  it('receives no work before its build is current, and logs this', async () => {
    const document = await aDocument(tenant);
    const migrationId = await migrate(tenant, document, freshId('moved'));
    await eventually(() => {
      expect(one.log.join('\n')).toContain('"msg":"worker build gets no work"');
    });
    expect(one.log.join('\n')).toContain('npm run cli -- deploy current --build-id one');
    expect(await doctorOnBuilds()).toBe(
      'serious: Workers get no work, because their build is not current (one): run npm run cli -- deploy current --build-id one.',
    );
    expect((await statusOf(tenant, document, migrationId)).status).toBe('pending');
    expect(await deploy('status')).toMatchObject({
      current: null,
      ramp: null,
      builds: [{ buildId: 'one', status: 'inactive', pollers: 1 }],
      unversionedPollers: 0,
    });
    expect(await deploy('current', { STEWARD_BUILD_ID: 'one' })).toMatchObject({ current: 'one' });
    expect((await ended(tenant, document, migrationId)).status).toBe('completed');
    expect(await doctorOnBuilds()).toBe('ok: Workers of build one get the work.');
  });

  itInFull('cannot be made current for a build that no worker polls for', async () => {
    await expect(deploy('current --build-id absent')).rejects.toThrow(
      'No worker of build absent polls: start one, or wait for it with --wait <seconds>. Builds that poll: one.',
    );
    await expect(deploy('current --unversioned')).rejects.toThrow('No worker without a version polls');
    await expect(deploy('current --unversioned --build-id one')).rejects.toThrow('exclude each other');
    await expect(deploy('current --build-id a:b')).rejects.toThrow('--build-id may be up to 100');
    expect(await deploy('status')).toMatchObject({ current: 'one' });
  });

  itInFull(
    'receives a percentage of the work by a ramp, and all of it when its build is current',
    async () => {
      await installation.startWorker({ STEWARD_WORKER_VERSIONING: 'manual', STEWARD_BUILD_ID: 'two' });
      expect(await deploy('ramp --build-id two --percentage 10 --wait 60')).toMatchObject({
        current: 'one',
        ramp: { buildId: 'two', percentage: 10 },
      });
      expect((await command('deploy status')).split('\n')).toEqual([
        'current: one',
        'ramp: 10 % to two',
        '',
        expect.stringMatching(/^buildId +status +pollers$/),
        expect.stringMatching(/^two +ramping +1$/),
        expect.stringMatching(/^one +current +1$/),
        '',
      ]);
      expect(await doctorOnBuilds()).toBe(
        'ok: Workers of build one get the work, and two gets 10 % of the workflows.',
      );
      expect(await deploy('ramp --build-id two --percentage 0')).toMatchObject({
        current: 'one',
        ramp: null,
      });
      await expect(deploy('ramp --build-id two --percentage 101')).rejects.toThrow('from 0 to 100');
      expect(await deploy('current --build-id two')).toMatchObject({ current: 'two' });
      await one.stop();
      await works();
    },
  );

  itInFull('is replaced by workers without a version by a command', async () => {
    const unversioned = await installation.startWorker();
    await eventually(async () =>
      expect(await doctorOnBuilds()).toMatch(
        /^warning: Workers without a version get no work, because build two/,
      ),
    );
    expect(await deploy('current --unversioned')).toMatchObject({ current: null });
    await works();
    await unversioned.stop();
  });
});

describe('a worker with automatic versioning', () => {
  itInFull('makes its build current at startup', async () => {
    await installation.startWorker({ STEWARD_WORKER_VERSIONING: 'automatic', STEWARD_BUILD_ID: 'three' });
    await eventually(async () => expect(await deploy('status')).toMatchObject({ current: 'three' }));
    expect(await deploy('current --build-id two')).toMatchObject({ current: 'two' });
  });
});
