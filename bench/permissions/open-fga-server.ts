import { access, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { choosePort } from '../../local/ports.ts';
import { runCommand, errorLine } from '../../local/run-command.ts';
import { startProgram, type Program } from '../process.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';

/** A running OpenFGA; `application` is the name of its database connections. */
export interface OpenFga extends Program {
  readonly url: string;
  readonly application: string;
}

const folder = join(homedir(), '.cache', 'steward', 'openfga');
const application = 'openfga';
const module = 'github.com/openfga/openfga/cmd/openfga@latest';

/** Returns the program: on PATH, cached by an earlier run, or built by Go. Throws the reason why none is available. */
async function obtain({ show, signal }: Run): Promise<string> {
  if ((await runCommand('openfga', ['version'], { timeoutMs: 20_000 })).ok) return 'openfga';
  const kept = join(folder, 'openfga');
  if (
    await access(kept).then(
      () => true,
      () => false,
    )
  )
    return kept;
  show(`Building OpenFGA (go install ${module}), which takes minutes …`);
  await mkdir(folder, { recursive: true });
  const environment = { ...process.env, GOBIN: folder, CGO_ENABLED: '0' };
  const built = await runCommand('go', ['install', module], { environment, timeoutMs: 1_800_000, signal });
  if (!built.ok) throw new Error(errorLine(built.output));
  return kept;
}

/** Starts OpenFGA on its own database in the PostgreSQL of this run, with default settings except that it logs only errors and serves no metrics. */
export async function startOpenFga(site: Site, run: Run): Promise<OpenFga> {
  const program = await obtain(run);
  await site.sql.query(`create database ${application}`);
  const address = new URL(site.databaseUrl);
  address.pathname = `/${application}`;
  address.search = `?sslmode=disable&application_name=${application}`;
  const datastore = ['--datastore-engine', 'postgres', '--datastore-uri', address.href];
  const migrated = await runCommand(program, ['migrate', ...datastore], { timeoutMs: 120_000 });
  if (!migrated.ok) throw new Error(errorLine(migrated.output));
  const [http, grpc] = [await choosePort(undefined), await choosePort(undefined)];
  const addresses = { '--http-addr': http, '--grpc-addr': grpc };
  const options = Object.entries(addresses).flatMap(([name, port]) => [name, `127.0.0.1:${String(port)}`]);
  const started = await startProgram(
    program,
    ['run', ...datastore, '--log-level', 'error', '--metrics-enabled=false', ...options],
    { log: join(site.folder, 'openfga.log') },
  );
  const url = `http://127.0.0.1:${String(http)}`;
  await whenHealthy(url, run.signal);
  return { ...started, url, application };
}

async function whenHealthy(url: string, signal: AbortSignal): Promise<void> {
  const until = Date.now() + 30_000;
  for (;;) {
    signal.throwIfAborted();
    const healthy = await fetch(`${url}/healthz`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (healthy) return;
    if (Date.now() > until) throw new Error('OpenFGA did not become ready.');
    await pause(100);
  }
}
