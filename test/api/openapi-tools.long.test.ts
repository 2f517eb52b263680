import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import { startTestApi } from '../support/api.ts';
import { operatorToken } from '../support/environment.ts';
import { aTenant, anOrganization } from '../support/factories.ts';
import { obtainNodeTools, obtainPythonTools, type Tools } from '../support/openapi-tools.ts';
import { callsOf, type PostmanCollection } from './postman-calls.ts';

/* Common tools accept the document: linters report no finding, and generated clients compile and call Steward. */

const run = promisify(execFile);
const [api, node, python] = await Promise.all([startTestApi(), obtainNodeTools(), obtainPythonTools()]);
const folder = await mkdtemp(join(tmpdir(), 'steward-openapi-'));
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

const tenant = await aTenant(api);
const organizationId = await anOrganization(tenant);
const document = join(folder, 'openapi.json');
const served = (await (await fetch(`${api.url}/openapi.json`)).json()) as object;
await writeFile(document, JSON.stringify({ ...served, servers: [{ url: api.url }] }));

/** Skips tools that are not available, with one line each. */
function describeWith(tools: Tools): typeof describe | typeof describe.skip {
  if (!('missing' in tools)) return describe;
  process.stderr.write(`${tools.missing}\n`);
  return describe.skip;
}

/** Runs a program of the npm packages. Returns what it prints, also when it fails. */
async function tool(name: string, ...parameters: readonly string[]): Promise<string> {
  const bin = 'folder' in node ? join(node.folder, 'node_modules/.bin', name) : name;
  const options = { cwd: folder, maxBuffer: 64 * 2 ** 20 };
  return run(bin, [...parameters], options).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { readonly stdout: string }).stdout,
  );
}

/** Accepted findings with their reasons. */
const exceptions = new Set([
  // OpenAPI 3.1 allows roles for schemes without OAuth scopes: here the scope that an auth token needs.
  'oas3-operation-security-defined',
]);

describeWith(node)('a linter', () => {
  it('of Redocly finds no violation of its recommended rules', async () => {
    await writeFile(join(folder, 'redocly.yaml'), 'extends: [recommended]\n');
    const found = JSON.parse(
      await tool('redocly', 'lint', document, '--config', join(folder, 'redocly.yaml'), '--format=json'),
    ) as { readonly problems: readonly { readonly ruleId: string }[] };
    // The test serves it on this machine.
    expect(
      found.problems.map(({ ruleId }) => ruleId).filter((rule) => rule !== 'no-server-example.com'),
    ).toEqual([]);
  });

  it('of Spectral finds only the listed violations of its OAS rules', async () => {
    await writeFile(join(folder, 'spectral.yaml'), 'extends: ["spectral:oas"]\n');
    const found = JSON.parse(
      await tool('spectral', 'lint', document, '-r', join(folder, 'spectral.yaml'), '-f', 'json', '-q'),
    ) as readonly { readonly code: string; readonly message: string }[];
    expect(found.filter(({ code }) => !exceptions.has(code))).toEqual([]);
  });
});

const strict = ['--strict', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable'];

describeWith(node)('TypeScript', () => {
  it('of openapi-typescript compiles', async () => {
    await tool('openapi-typescript', document, '-o', 'schema.ts');
    await expect(tool('tsc', ...strict, '--noEmit', 'schema.ts')).resolves.toBe('');
    expect(await readFile(join(folder, 'schema.ts'), 'utf8')).toContain('"comment.add": {');
  });

  it('of @hey-api/openapi-ts compiles, and calls Steward', async () => {
    await tool('openapi-ts', '-i', document, '-o', 'hey');
    const program = `
      import { client } from './hey/client.gen';
      import { organizationsGet } from './hey/sdk.gen';
      const credentials: Record<string, string> = ${JSON.stringify(tenant.headers)};
      client.setConfig({ baseUrl: '${api.url}', auth: ({ name }) => credentials[name ?? ''] });
      organizationsGet({ body: { data: {} } }).then(({ data }) => console.log(data?.result.data.map(({ id }) => id).join()));`;
    await writeFile(join(folder, 'call.ts'), program);
    const modules = [
      '--module',
      'commonjs',
      '--moduleResolution',
      'node10',
      '--skipLibCheck',
      '--outDir',
      'out',
    ];
    await expect(tool('tsc', ...strict, ...modules, 'call.ts')).resolves.toBe('');
    const { stdout } = await run(process.execPath, [join(folder, 'out/call.js')]);
    expect(stdout.trim()).toBe(organizationId);
  });
});

describeWith(python)('Python of openapi-python-client', () => {
  it('compiles, imports and calls Steward', async () => {
    const packages = 'folder' in python ? python.folder : '';
    const env = { ...process.env, PYTHONPATH: `${packages}:${folder}` };
    const generate = ['-m', 'openapi_python_client', 'generate', '--path', document, '--meta', 'none'];
    await run('python3', [...generate, '--output-path', join(folder, 'generated')], { env, cwd: folder });
    await run('python3', ['-m', 'compileall', '-q', join(folder, 'generated')]);
    const models = await readdir(join(folder, 'generated/models'));
    expect(models.length).toBeLessThanOrEqual(12 * endpoints.flatMap(({ paths }) => paths).length);
    const call = `
import importlib, pkgutil, time
started = time.process_time()
import generated
for module in pkgutil.walk_packages(generated.__path__, 'generated.'):
    importlib.import_module(module.name)
seconds = time.process_time() - started
from generated import AuthenticatedClient
from generated.api.organizations import organizations_get
from generated.models import OrganizationsGetRequest
client = AuthenticatedClient(
    base_url='${api.url}', token='${tenant.apiKey}', prefix='', auth_header_name='x-svc-api-key',
    headers={'x-svc-auth-token': '${tenant.authToken}'})
found = organizations_get.sync(client=client, body=OrganizationsGetRequest.from_dict({'data': {}}))
print(seconds, found.result.data[0].id)`;
    const { stdout } = await run('python3', ['-c', call], { env });
    const [seconds, id] = stdout.trim().split(' ');
    expect(id).toBe(organizationId);
    // 7.1 to 7.9 s when each failure of each operation had its own models, whose number is asserted above.
    process.stderr.write(`  the Python client: imported in ${String(seconds)} s of CPU time\n`);
  });
});

describeWith(node)('a collection of openapi-to-postmanv2', () => {
  it('sends the credentials of every operation, and each write under a new Idempotency-Key', async () => {
    await tool(
      'openapi2postmanv2',
      '-s',
      document,
      '-o',
      'postman.json',
      '-O',
      'parametersResolution=Example',
    );
    const collection = JSON.parse(await readFile(join(folder, 'postman.json'), 'utf8')) as PostmanCollection;
    const { workspace } = tenant;
    const calls = callsOf(collection, {
      'x-svc-api-key': { apiKey: tenant.apiKey, authToken: tenant.authToken },
      'x-svc-workspace-id': { apiKey: workspace.workspaceId, authToken: workspace.authToken },
      'x-svc-operator-token': { apiKey: operatorToken },
    });
    expect(calls.length).toBeGreaterThanOrEqual(endpoints.length);
    const refused: string[] = [];
    const responses = new Map<string, string>();
    for (const { path, headers, body } of calls) {
      const response = await fetch(`${api.url}${path}`, { method: 'POST', headers, body });
      const text = await response.text();
      responses.set(path, text);
      if (/"status":"(?:UNAUTHENTICATED|PERMISSION_DENIED)"/.test(text)) refused.push(`${path} ${text}`);
      // Examples may name records that this deployment lacks, but none is malformed.
      if (text.includes('"issues"') && !/does not exist|receipt must be/.test(text))
        refused.push(`${path} ${text}`);
    }
    expect(refused).toEqual([]);
    expect(responses.get('/v2/organizations/get')).toContain('"status":"success"');
    expect(responses.get('/v2/organizations/add')).toContain('"failedCount":0');
    const keys = calls.flatMap(({ headers }) => headers['Idempotency-Key'] ?? []);
    expect(keys.length).toBeGreaterThan(50);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
