import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { variables } from '../../platform/config/variables.ts';
import { secretFileNames } from '../../platform/config/secret-files.ts';
import { nodeOptionsOf } from '../../platform/process/node-options.ts';

const folder = 'deploy/kubernetes';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly timeoutSeconds: number;
}
interface Container {
  readonly image: string;
  readonly command: readonly string[];
  readonly securityContext: object;
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}
interface Pod {
  readonly containers: readonly [Container];
  readonly terminationGracePeriodSeconds?: number;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: object;
}
interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: {
    readonly template?: { readonly metadata: { readonly labels: object }; readonly spec: Pod };
    readonly selector?: { readonly matchLabels: object };
  };
}

let resources: readonly Resource[];
const find = (kind: string, name: string): Resource => {
  const found = resources.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`No ${kind} ${name}.`);
  return found;
};
const podOf = (kind: string, name: string): Pod => {
  const pod = find(kind, name).spec?.template?.spec;
  if (pod === undefined) throw new Error(`No pod in ${kind} ${name}.`);
  return pod;
};

beforeAll(async () => {
  const { resources: files } = parse(await readFile(join(folder, 'kustomization.yaml'), 'utf8')) as {
    resources: readonly string[];
  };
  expect([...files, 'kustomization.yaml'].sort()).toEqual((await readdir(folder)).sort());
  const texts = await Promise.all(files.map(async (file) => await readFile(join(folder, file), 'utf8')));
  resources = texts.flatMap((text) => parseAllDocuments(text).map((one) => one.toJS() as Resource));
});

describe('deploy/kubernetes', () => {
  it.each(['api', 'worker'] as const)(
    'runs the %s with the command of the image, with probes and a drain delay',
    (program) => {
      const pod = podOf('Deployment', `steward-${program}`);
      const [container] = pod.containers;
      expect(container.command).toEqual([
        'node',
        ...nodeOptionsOf(`${program}/main.ts`),
        `${program}/main.ts`,
      ]);
      expect(pod.terminationGracePeriodSeconds).toBe(90);
      const port = program === 'api' ? 'http' : 'metrics';
      expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port });
      expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port });
      // /readyz responds within 2 s.
      expect(container.readinessProbe.timeoutSeconds).toBeGreaterThan(2);
      const selected = find('PodDisruptionBudget', `steward-${program}`).spec?.selector?.matchLabels ?? {};
      expect(find('Deployment', `steward-${program}`).spec?.template?.metadata.labels).toMatchObject(
        selected,
      );
    },
  );

  it('runs every container without privileges, with a memory limit and without a cluster token', () => {
    const pods = [
      podOf('Deployment', 'steward-api'),
      podOf('Deployment', 'steward-worker'),
      podOf('Job', 'steward-migrate'),
    ];
    for (const { containers, automountServiceAccountToken, securityContext } of pods) {
      expect(automountServiceAccountToken).toBe(false);
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const {
        image,
        securityContext: own,
        resources: { limits },
      } of containers) {
        expect(image).toBe('steward');
        expect(own).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(limits.memory).toMatch(/^\d+[MG]i$/);
      }
    }
  });

  it('sets only known variables, and secrets only by file', () => {
    for (const [name, value] of Object.entries(find('ConfigMap', 'steward').data ?? {})) {
      if (name.endsWith('_FILE')) {
        expect(secretFileNames).toContain(name);
        continue;
      }
      expect(variables).toHaveProperty([name]);
      const variable = variables[name as keyof typeof variables];
      expect([name, variable.parse(value)]).not.toEqual([name, undefined]);
      expect(variable.secret).not.toBe('whole');
      if (variable.secret === 'address') expect(new URL(value).password).toBe('');
    }
  });
});

describe('deploy/kubernetes-worker-build', () => {
  it('renames the Deployment of workers, selects only its build, and makes the build wait for `deploy current`', async () => {
    const file = parse(await readFile('deploy/kubernetes-worker-build/kustomization.yaml', 'utf8')) as {
      readonly resources: readonly string[];
      readonly patches: readonly [
        { readonly target: object; readonly options: object; readonly patch: string },
      ];
    };
    expect(file.resources).toEqual(['../kubernetes']);
    const [{ target, options, patch }] = file.patches;
    expect(file.patches).toHaveLength(1);
    expect(target).toEqual({ kind: 'Deployment', name: 'steward-worker' });
    expect(options).toEqual({ allowNameChange: true });
    // `add` replaces a list that is there.
    expect(podOf('Deployment', 'steward-worker').containers[0]).not.toHaveProperty('env');
    const changes = parse(patch) as readonly { readonly path: string; readonly value: unknown }[];
    const values = Object.fromEntries(changes.map(({ path, value }) => [path, value]));
    const build = variables.STEWARD_BUILD_ID.parse(
      String(values['/spec/template/metadata/labels/app.kubernetes.io~1version']),
    );
    expect(values).toEqual({
      '/metadata/name': `steward-worker-${String(build).replaceAll('.', '-')}`,
      '/spec/selector/matchLabels/app.kubernetes.io~1version': build,
      '/spec/template/metadata/labels/app.kubernetes.io~1version': build,
      '/spec/template/spec/containers/0/env': [
        { name: 'STEWARD_WORKER_VERSIONING', value: 'manual' },
        {
          name: 'STEWARD_BUILD_ID',
          valueFrom: { fieldRef: { fieldPath: "metadata.labels['app.kubernetes.io/version']" } },
        },
      ],
    });
    expect(variables.STEWARD_WORKER_VERSIONING.parse('manual')).toBe('manual');
  });
});
