import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fencedBlocks } from '../../support/page-blocks.ts';
import { root } from '../../support/source-files.ts';
import type { TestTenant } from '../../support/factories.ts';

const run = promisify(execFile);

/** A project outside the repository in which only the packed client is installed. */
export interface ScratchProject {
  readonly folder: string;
  /** Runs npm in the project. */
  npm(...parameters: readonly string[]): Promise<void>;
  /** Compiles `program.ts` and the programs of the docs to `out/`, with the TypeScript below `typescript`. Throws its errors. */
  compile(typescript: string, moduleResolution: 'nodenext' | 'bundler'): Promise<void>;
  /** Runs the compiled program. Returns its output. */
  runProgram(command: readonly string[], url: string, tenant: TestTenant): Promise<string>;
  /** Bundles and minifies a module with the esbuild of the project. */
  bundle(entry: string): Promise<string>;
  remove(): Promise<void>;
}

/** A program that uses each feature of the client that differs between runtimes. */
const program = `
import { createClient, NotFoundError, webhooks, type OrganizationsAddRequest } from '@steward/client';

const [url = '', apiKey = '', authToken = ''] = process.argv.slice(2);
const steward = createClient({ baseUrl: url, apiKey, authToken });
const request: OrganizationsAddRequest = { organizations: [{ organizationId: 'acme' }, { organizationId: 'globex' }] };
const added = await steward.organizations.add(request);
const names: string[] = [];
for await (const { id } of steward.organizations.get({ pageSize: 1 })) names.push(id);
const missing = await steward.documents.get({ organizationId: 'nowhere' }).catch((error: unknown) => {
  if (!(error instanceof NotFoundError)) throw error;
  const status: 'NOT_FOUND' = error.status;
  return status;
});
const { jobId } = (await steward.users.data.delete({ userIds: ['ada'] })).data;
await steward.jobs.cancel({ jobId });
const job = await steward.jobs.wait(jobId, { onProgress: ({ progress }) => progress.done.toFixed() });
const { receipt } = (await steward.users.data.getDeletionStatus({ jobId })).data;
const { covered } = await steward.receipts.verify(receipt?.jws ?? '', { userIds: ['ada'] });
const forged = await webhooks.verify('{}', {}, 'whsec_c2VjcmV0').catch((error: unknown) => (error as Error).name);
// @ts-expect-error: a required member is missing.
const wrong = (): unknown => steward.documents.migrate({ organizationId: 'acme' });
console.log(JSON.stringify([added.failedCount, names, missing, job.completedAt !== null, covered, forged, typeof wrong]));
`;

/** The expected output of the program. */
export const expectedOutput = JSON.stringify([
  0,
  ['acme', 'globex'],
  'NOT_FOUND',
  true,
  { ada: true },
  'WebhookVerificationError',
  'function',
]);

/** The TypeScript of docs/client.md and of the package's README. */
async function docsPrograms(): Promise<string[]> {
  const pages = ['docs/client.md', 'packages/client/README.md'];
  const texts = await Promise.all(pages.map((page) => readFile(join(root, page), 'utf8')));
  return texts
    .flatMap(fencedBlocks)
    .filter(({ language }) => language === 'ts')
    .map(({ text }) => text);
}

/** Packs the client with npm and installs it in an empty project. Needs no registry. */
export async function scratchProject(): Promise<ScratchProject> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-client-'));
  const npm = async (...parameters: readonly string[]): Promise<void> => {
    await run('npm', [...parameters, '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await writeFile(join(folder, 'program.ts'), program);
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: join(root, 'packages/client'),
  });
  const pages = await docsPrograms();
  for (const [index, text] of pages.entries())
    await writeFile(join(folder, `page-${String(index)}.ts`), text);
  await npm('install', '--offline', `./${stdout.trim().split('\n').at(-1) ?? ''}`);
  return {
    folder,
    npm,
    async compile(typescript, moduleResolution) {
      const module = moduleResolution === 'nodenext' ? 'nodenext' : 'esnext';
      const compilerOptions = {
        module,
        moduleResolution,
        target: 'es2022',
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
        rootDir: '.',
        outDir: 'out',
        strict: true,
        exactOptionalPropertyTypes: true,
      };
      const project = { compilerOptions, include: ['*.ts'] };
      await rm(join(folder, 'out'), { recursive: true, force: true });
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
      const tsc = join(typescript, 'bin/tsc');
      await run(process.execPath, [tsc, '-p', folder]).catch((error: unknown) => {
        throw new Error((error as { readonly stdout: string }).stdout, { cause: error });
      });
    },
    async runProgram([command = '', ...parameters], url, { apiKey, authToken }) {
      const all = [...parameters, join(folder, 'out/program.js'), url, apiKey, authToken];
      const { stdout: output } = await run(command, all, { cwd: folder });
      return output.trim();
    },
    async bundle(entry) {
      const esbuild = join(folder, 'node_modules/.bin/esbuild');
      return (await run(esbuild, ['--bundle', '--minify', '--format=esm', entry])).stdout;
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
