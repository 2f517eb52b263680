import { auditEntriesAreProtected } from '../../domain/audit/audit-protection.ts';
import { entities } from '../../domain/entities.ts';
import { listProcesses, type ProcessRow } from '../../domain/processes/list-processes.ts';
import { checkSecrets } from '../../domain/secrets/check-secrets.ts';
import { openDatabase, type Database } from '../../platform/database/open-database.ts';
import { readServerState, type ServerState } from '../../platform/database/server-state.ts';
import type { MissingSettings } from '../../platform/database/session-settings.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { StartFailure } from '../../local/start-failure.ts';
import { ConfigurationError, readConfiguration } from '../../platform/config/read-configuration.ts';
import { databaseUrlOf, keyRingOf, type Surroundings } from '../settings.ts';
import { checkJournal } from './check-journal.ts';
import { checkWebhooks } from './check-webhooks.ts';
import { finding, guarded, remedyOfStatements, type Finding } from './finding.ts';

/** The oldest PostgreSQL with everything that the migrations use. */
const oldestVersion = { number: 150_000, name: '15' } as const;

const statementTimeoutMs = 10_000;

/** Checks PostgreSQL and what it stores. */
export async function checkDatabase(surroundings: Surroundings): Promise<readonly Finding[]> {
  try {
    return await checkUrl(surroundings, databaseUrlOf(surroundings));
  } catch (error) {
    if (!(error instanceof ConfigurationError || error instanceof StartFailure)) throw error;
    return [finding('database', 'serious', error.message)];
  }
}

async function checkUrl(surroundings: Surroundings, url: string): Promise<readonly Finding[]> {
  let lacking: MissingSettings | undefined;
  const database = openDatabase({
    url,
    poolSize: 1,
    statementTimeoutMs,
    plansOnce: false,
    statementNames: false,
    entities,
    onMissingSettings: (settings) => (lacking = settings),
  });
  try {
    const server = await guarded('database', unreachable, async () => {
      // The first statement also connects, which takes longer than clocks may differ.
      await readServerState(database.orm.em.fork());
      const before = Date.now();
      const state = await readServerState(database.orm.em.fork());
      const skewMs = state.time.getTime() - (before + Date.now()) / 2;
      return [serverFinding(state), clockFinding(skewMs), settingsFinding(lacking)];
    });
    if (server.some(({ text }) => text === unreachable)) return server;
    const content = guarded('tables', `The tables could not be read: ${remedyOfStatements}.`, async () =>
      checkContent(surroundings, database),
    );
    return [...server, ...(await content)];
  } finally {
    await database.close();
  }
}

const unreachable =
  'PostgreSQL does not respond, or refuses the connection: check DATABASE_URL, DATABASE_PASSWORD and the server.';

export function serverFinding({ version, versionNumber, encoding }: Omit<ServerState, 'time'>): Finding {
  const check = 'database';
  if (versionNumber < oldestVersion.number)
    return finding(check, 'serious', `PostgreSQL is ${version} and must be ${oldestVersion.name} or later.`);
  if (encoding !== 'UTF8') {
    const text = `The encoding of the database is ${encoding}: move the data to a database with UTF8.`;
    return finding(check, 'serious', text);
  }
  return finding(check, 'ok', `PostgreSQL ${version} responds.`);
}

/** Milliseconds. Expiry and signatures compare times of both clocks. */
const skewLimitsMs = { warning: 1_000, serious: 30_000 } as const;

/** Positive when the clock of PostgreSQL is ahead. */
export function clockFinding(skewMs: number): Finding {
  const skew = Math.abs(skewMs);
  const level = skew >= skewLimitsMs.serious ? 'serious' : skew >= skewLimitsMs.warning ? 'warning' : 'ok';
  const seconds = (skew / 1_000).toFixed(1);
  return level === 'ok'
    ? finding('clock', level, 'The clocks of this machine and of PostgreSQL agree within 1 s.')
    : finding('clock', level, `The clock of PostgreSQL differs by ${seconds} s: synchronize both with NTP.`);
}

const settingsFinding = (lacking: MissingSettings | undefined): Finding =>
  lacking === undefined
    ? finding('role', 'ok', 'The database role has every setting.')
    : finding(
        'role',
        'warning',
        `The database role lacks settings; run as an administrator: ${lacking.remedy}`,
      );

async function checkContent(surroundings: Surroundings, database: Database): Promise<readonly Finding[]> {
  const pending = await database.pendingMigrations();
  if (pending.length > 0) {
    const text = `${String(pending.length)} migrations have not run: run npm run cli -- migrate.`;
    return [finding('migrations', 'serious', text)];
  }
  return [
    finding('migrations', 'ok', 'Every migration has run.'),
    await auditFinding(database),
    ...(await checkStoredSecrets(surroundings, database)),
    ...(await checkJournal(surroundings, database)),
    ...(await checkWebhooks(readConfiguration(surroundings.environment, 'cli'), database)),
    ...processFindings(await listProcesses(database.orm.em.fork(), { after: '', limit: 1_000 })),
  ];
}

const auditFinding = async ({ orm }: Database): Promise<Finding> =>
  (await auditEntriesAreProtected(orm.em.fork()))
    ? finding('audit log', 'ok', 'PostgreSQL keeps the role of DATABASE_URL from changing audit entries.')
    : finding(
        'audit log',
        'warning',
        'The role of DATABASE_URL owns the audit log or may change it: run API and worker as another role (docs/audit-log.md).',
      );

const checkStoredSecrets = async (
  surroundings: Surroundings,
  { orm }: Database,
): Promise<readonly Finding[]> =>
  guarded('secrets', `The stored secrets could not be checked: ${remedyOfStatements}.`, async () => {
    const keyRing = givenKeyRing(surroundings);
    if (keyRing === undefined)
      return [
        finding(
          'secrets',
          'serious',
          'STEWARD_ENCRYPTION_KEYS is not set: set the value that API and worker have.',
        ),
      ];
    const checked = await checkSecrets(orm.em.fork(), keyRing);
    const read = checked.reduce((sum, column) => sum + column.read, 0);
    const broken = checked.filter(({ unreadable }) => unreadable > 0);
    if (broken.length === 0)
      return [
        finding('secrets', 'ok', `STEWARD_ENCRYPTION_KEYS decrypts all ${String(read)} sampled secrets.`),
      ];
    const unreadable = broken.reduce((sum, column) => sum + column.unreadable, 0);
    const names = broken.map(({ name }) => name).join(', ');
    const text = `STEWARD_ENCRYPTION_KEYS does not decrypt ${String(unreadable)} of ${String(read)} sampled secrets (${names}): add the keys that encrypted them after the first one.`;
    return [finding('secrets', 'serious', text)];
  });

/** Undefined where the environment has no keys. */
function givenKeyRing(surroundings: Surroundings): KeyRing | undefined {
  try {
    return keyRingOf(surroundings);
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

function pausedFindings(processes: readonly ProcessRow[]): readonly Finding[] {
  const paused = processes.filter((one) => one.paused.length > 0);
  const work = [...new Set(paused.flatMap((one) => one.paused))].sort();
  if (work.length === 0) return [];
  const count = `${String(paused.length)} of ${String(processes.length)} processes`;
  const text = `STEWARD_PAUSED of ${count} pauses ${work.join(' and ')}: unset it and restart them to end the pause.`;
  return [finding('paused', 'warning', text)];
}

const buildsFinding = (count: number): Finding =>
  finding(
    'processes',
    'warning',
    `Processes of ${String(count)} builds are running: after an upgrade, stop those of the former build.`,
  );

/** Processes that send heartbeats. Those of several builds run together only during an upgrade. */
function processFindings(processes: readonly ProcessRow[]): readonly Finding[] {
  const absent = (['api', 'worker'] as const).filter((kind) => processes.every((one) => one.kind !== kind));
  const builds = new Set(processes.map(({ build_id }) => build_id));
  return [
    ...absent.map((kind) => {
      const text = `No ${kind} process is running: start one, or read the end of its log.`;
      return finding('processes', 'warning', text);
    }),
    ...(builds.size > 1 ? [buildsFinding(builds.size)] : []),
    ...pausedFindings(processes),
    ...(absent.length === 0 && builds.size === 1
      ? [finding('processes', 'ok', `${String(processes.length)} processes of one build are running.`)]
      : []),
  ];
}
