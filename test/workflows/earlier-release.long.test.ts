import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as workflows from '../../workflows/index.ts';
import { recordAll } from '../histories/record-all.ts';
import { quietRuntime } from './quiet-runtime.ts';
import { replayHistory, type History } from './replay-history.ts';

/** Release 0.2.0, as in CHANGELOG.md. Its workers may get any workflow task while both releases run. */
const commit = '43134c3625717042b7de6f8e39f181892aba21cc';

/** Workflows that only earlier releases start. */
const former = 'cascade';

/** Newer workflows. Workers of the earlier release fail their tasks: docs/upgrading.md. */
const later: ReadonlySet<string> = new Set(['sendNotifications']);

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
let folder: string;

beforeAll(async () => {
  quietRuntime();
  folder = await mkdtemp(join(tmpdir(), 'steward-earlier-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Returns the bundle of the earlier release's workflows. */
async function bundleOf(release: string): Promise<string> {
  const archive = join(folder, 'sources.tar');
  const parts = ['package.json', 'worker/build-bundle.ts', 'workflows'];
  await run('git', ['archive', '--output', archive, release, ...parts], { cwd: root }).catch(() => {
    throw new Error(`This clone lacks commit ${release} (release 0.2.0): run git fetch --unshallow.`);
  });
  await run('tar', ['-xf', archive, '-C', folder]);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const { NODE_OPTIONS: _jests, ...env } = process.env;
  await run(process.execPath, ['worker/build-bundle.ts', 'bundle.js'], { cwd: folder, env });
  return readFile(join(folder, 'bundle.js'), 'utf8');
}

function workflowOf({ events }: History): string {
  return events[0]?.workflowExecutionStartedEventAttributes?.workflowType.name ?? '';
}

describe('release 0.2.0', () => {
  it('replays a history of every workflow of the current code', async () => {
    const code = await bundleOf(commit);
    const histories = Object.entries(await recordAll())
      .map(([name, text]) => [name, JSON.parse(text) as History] as const)
      .filter(([, history]) => !later.has(workflowOf(history)));
    const known = Object.keys(workflows).filter((name) => !later.has(name));
    const recorded = histories.map(([, history]) => workflowOf(history));
    expect(new Set([...recorded, former])).toEqual(new Set(known));
    const failures: string[] = [];
    for (const [name, history] of histories) {
      await replayHistory(code, history).catch((error: unknown) =>
        failures.push(`${name}: ${String(error)}`),
      );
    }
    expect(failures).toEqual([]);
  });
});
