import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { inherited, npmStart } from '../start/npm-start.ts';
import type { Start } from '../start/npm-start.ts';
import { fencedBlocks } from '../support/page-blocks.ts';
import { markdownPages, repository } from '../support/markdown-page.ts';
import { inFull } from '../support/tier.ts';

/** Blocks that are not pasted here, with the reason. */
const elsewhere = new Map([
  ['npm start', 'stays in the foreground: it runs beside this test'],
  ['npm ci\nnpm pack ./packages/client', 'test/packages/client/package.test.ts packs and installs it'],
  ['npm run demo', 'takes minutes: test/start.test.ts runs it'],
  [
    'npm run bench -- --quick notifications-send notifications-add notifications-latency',
    'takes minutes, and only measures',
  ],
  [
    [
      'curl -s http://127.0.0.1:3000/openapi.json -o openapi.json',
      'npx openapi-to-postmanv2 -s openapi.json -o steward.json -O parametersResolution=Example',
    ].join('\n'),
    'downloads a package: test/api/openapi-tools.long.test.ts runs it',
  ],
  [
    'promtool check config deploy/prometheus/prometheus.yml\npromtool test rules deploy/prometheus/alerts.test.yml',
    'needs promtool: test/deploy/alerts.long.test.ts runs it',
  ],
  [
    [
      'docker build --tag steward .',
      '(umask 077; docker run --rm steward node cli/main.ts environment > .env)',
    ].join('\n'),
    'needs Docker: test/deploy/image.long.test.ts runs commands of the image without it',
  ],
  ['docker compose up --build --detach', 'needs Docker: test/platform/compose.test.ts checks the file'],
  ['docker compose exec api node cli/main.ts doctor', 'needs Docker'],
  [
    [
      'docker compose exec api node cli/main.ts workspace create --owner-email ops@example.com',
      'docker compose exec api node cli/main.ts key create --workspace WORKSPACE_ID --owner-email ops@example.com --type production',
    ].join('\n'),
    'needs Docker; docs/deployment.md has the same commands without it',
  ],
  ['kubectl exec --namespace steward deploy/steward-api -- node cli/main.ts doctor', 'needs a cluster'],
  ['docker buildx imagetools inspect postgres:18.4-bookworm', 'needs Docker and a registry'],
  [
    [
      'kubectl delete job --namespace steward --ignore-not-found steward-migrate',
      "kubectl apply --kustomize deploy/kubernetes --selector 'app.kubernetes.io/component notin (api, worker)'",
      'kubectl wait --namespace steward --for condition=complete --timeout 30m job/steward-migrate',
      'kubectl apply --kustomize deploy/kubernetes',
    ].join('\n'),
    'needs a cluster: test/deploy/kubernetes.test.ts checks the files',
  ],
  [
    [
      `before=$(kubectl get secret --namespace steward steward --output 'jsonpath={.metadata.resourceVersion}')`,
      'kubectl annotate externalsecret --namespace steward steward force-sync="$(date +%s)" --overwrite',
      `until kubectl get secret --namespace steward steward --output 'jsonpath={.metadata.resourceVersion}' | grep -qvx "$before"; do sleep 1; done`,
      "kubectl rollout restart --namespace steward deployment --selector 'app.kubernetes.io/component in (api, worker)'",
      "kubectl rollout status --namespace steward deployment --selector 'app.kubernetes.io/component in (api, worker)' --timeout 10m",
    ].join('\n'),
    'needs a cluster',
  ],
  [
    [
      '(umask 077; npm run --silent cli -- environment > .env)',
      '. ./.env',
      'kubectl exec --stdin --namespace databases POSTGRES_POD -- psql --username postgres --set ON_ERROR_STOP=1 <<END',
      "create role steward login password '$STEWARD_DATABASE_PASSWORD';",
      "create database steward owner steward encoding 'UTF8' template template0;",
      'END',
      'kubectl exec --namespace temporal deploy/temporal-admintools -- temporal operator namespace create --namespace default --retention 3d',
    ].join('\n'),
    'needs a cluster',
  ],
  [
    [
      'kubectl exec --namespace steward deploy/steward-api -- node cli/main.ts workspace create --owner-email ops@example.com',
      'kubectl exec --namespace steward deploy/steward-api -- node cli/main.ts key create --workspace WORKSPACE_ID --owner-email ops@example.com --type production',
    ].join('\n'),
    'needs a cluster; docs/deployment.md has the same commands without it',
  ],
  [
    [
      '. ./.env',
      'psql "$ADMIN_URL" --set ON_ERROR_STOP=1 <<END',
      "create role steward login password '$STEWARD_DATABASE_PASSWORD';",
      'grant steward to current_user;',
      "create database steward owner steward encoding 'UTF8' template template0;",
      'END',
    ].join('\n'),
    'needs psql and a PostgreSQL of the reader',
  ],
  [
    'temporal operator namespace create --address "$TEMPORAL_ADDRESS" --namespace default --retention 3d',
    'needs a Temporal of the reader',
  ],
]);

const pages = new Map((await markdownPages()).map(({ path, text }) => [path, text]));

/** Returns the blocks that a reader pastes from a page, in order. */
const shellBlocks = (path: string): readonly string[] =>
  fencedBlocks(pages.get(path) ?? '')
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text.trimEnd());

const gettingStarted = 'docs/getting-started.md';

/** Defines `call`, which most pages use. */
const definition = shellBlocks(gettingStarted).find((block) => block.includes('call() {')) ?? '';

/** Pages with shell blocks besides the README, in the order of pasting. The deletion is last, because it deletes records of other pages. */
const withBlocks = [...pages.keys()]
  .filter((path) => path !== 'README.md' && shellBlocks(path).some((block) => !elsewhere.has(block)))
  .sort((a, b) => rank(a) - rank(b));

function rank(path: string): number {
  return [gettingStarted, '', 'docs/user-data-deletion.md'].indexOf(path) + 1 || 2;
}

let checkout: string;
let start: Start;

/** Creates a reader's environment: a folder with links to all files of the repository, and a data folder. */
async function aCheckout(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pasted-'));
  for (const name of await readdir(repository)) {
    if (name !== '.data' && name !== '.env') await symlink(join(repository, name), join(folder, name));
  }
  return folder;
}

/** Pastes blocks into one shell one after the other. Returns what each of them printed. */
async function paste(shell: string, pasted: readonly string[]): Promise<readonly string[]> {
  const mark = '== next block ==';
  const script = ['set -e', ...pasted.map((block) => `${block}\necho; echo '${mark}'`)].join('\n');
  const { stdout, stderr } = await promisify(execFile)(shell, ['-c', script], {
    cwd: checkout,
    env: inherited(),
    maxBuffer: 16_777_216,
  });
  expect(stderr).toBe('');
  return stdout.split(`${mark}\n`).slice(0, pasted.length);
}

/** Pastes a page. Returns the responses that its calls printed, and expects no error. */
async function pastePage(shell: string, path: string): Promise<string> {
  const own = shellBlocks(path).filter((block) => !elsewhere.has(block));
  const needed = path !== gettingStarted && own.some((block) => /\bcall \//.test(block)) ? [definition] : [];
  const printed = (await paste(shell, [...needed, ...own])).slice(needed.length);
  const calls = own.flatMap((block, index) =>
    /curl -s|^call \/|\(call \//m.test(block) ? [printed[index] ?? ''] : [],
  );
  for (const output of calls) {
    expect(output).not.toContain('"error":{');
    for (const response of output
      .replaceAll('}{', '}\n{')
      .split('\n')
      .filter((text) => text !== '')) {
      expect(() => JSON.parse(response) as unknown).not.toThrow();
    }
  }
  return printed.join('\n');
}

beforeAll(async () => {
  checkout = await aCheckout();
  start = npmStart(join(checkout, '.data'));
  await start.ready();
});

afterAll(async () => {
  start.child.kill('SIGTERM');
  await start.ended();
  await removeCluster(join(checkout, '.data', 'postgres'));
});

describe('the shell blocks', () => {
  it.each(inFull ? ['sh', 'bash'] : ['sh'])(
    'of the README run in order when pasted into %s',
    async (shell) => {
      const printed = await pastePage(shell, 'README.md');
      expect(printed).toMatch(/"result":\{"status":"success".*"acme":\{"success":true/);
      expect(await readFile(join(checkout, '.env'), 'utf8')).toContain('STEWARD_ENCRYPTION_KEYS=');
    },
    1_800_000,
  );

  const shown: Readonly<Record<string, RegExp>> = {
    'docs/getting-started.md': /"plan":\{"success":true/,
    'docs/documents-and-migration.md': /"status":"(pending|in_progress|completed)"/,
    'docs/user-data-deletion.md': /"jobId":"job_[\w-]+","status":"(pending|in_progress|completed)"/,
    'docs/webhooks.md': /"id":"ep_/,
    'docs/rewriter.md': /"error":"No API key configured for provider: OpenAI"/,
    'docs/notifications.md': /"userId":"ben","notified":true,"reason":"named"/,
    'docs/collaborative-data.md': /"data":\{"title":"Plan","done":true\}/,
    'docs/permissions.md': /"hasAccess":/,
    'docs/deployment.md': /"authToken": "/,
  };

  it.each(withBlocks)(
    'of %s run in order when pasted',
    async (path) => {
      expect(await pastePage('sh', path)).toMatch(shown[path] ?? /"result":/);
    },
    1_800_000,
  );

  it('contain no prompt, ellipsis or comment, and every exception names an existing block', () => {
    const all = [...pages.keys()].flatMap(shellBlocks);
    for (const block of elsewhere.keys()) expect(all).toContain(block);
    // A prompt or an ellipsis cannot be pasted, and comments fail in an interactive zsh.
    for (const block of all) expect(block).not.toMatch(/^\$ |…|#/m);
  });
});

describe('the call from TypeScript', () => {
  // After the shell blocks of the page, which create the organization.
  it.each(['README.md', gettingStarted])('of %s runs when pasted', async (path) => {
    const blocks = fencedBlocks(pages.get(path) ?? '');
    const call = blocks.find(({ language }) => language === 'ts');
    await writeFile(join(checkout, 'pasted.ts'), call?.text ?? '');
    const { stdout } = await promisify(execFile)(process.execPath, ['pasted.ts'], {
      cwd: checkout,
      env: inherited(),
    });
    expect(stdout).toContain(`id: 'acme'`);
  });
});
