import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { variables } from '../../platform/config/variables.ts';
import { memoryEnvironment, nodeOptionsOf } from '../../platform/process/node-options.ts';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const { services } = parse(read('docker-compose.yml')) as {
  services: Record<'api' | 'worker', { command: string[]; mem_limit: string }>;
};

const settings = Object.entries(memoryEnvironment)
  .map(([name, value]) => `${name}=${value}`)
  .join(' ');

describe.each(['api', 'worker'] as const)('the program %s', (name) => {
  const command = ['node', ...nodeOptionsOf(`${name}/main.ts`), `${name}/main.ts`];

  it('is started with the same options by npm and by the compose file', () => {
    expect(command.length).toBeGreaterThan(2);
    expect(read('package.json')).toContain(` ${settings} exec ${command.join(' ')}"`);
    expect(services[name].command).toEqual(command);
  });
});

describe('the memory of containers', () => {
  const megabytesOf = (limit: string): number => {
    const [, count = '', unit = ''] = /^(\d+)([mg])$/.exec(limit) ?? [];
    return Number(count) * (unit === 'g' ? 1_024 : 1);
  };

  it.each([
    ['api', 512 + 3 * 16 + 64 + 256],
    ['worker', 2 * (512 + 3 * 8) + 256],
  ] as const)('of the %s covers its heaps, its budgets and Node’s own memory', (name, least) => {
    const [heap] = /--max-old-space-size=\d+/.exec(nodeOptionsOf(`${name}/main.ts`).join(' ')) ?? [];
    expect(heap).toBe('--max-old-space-size=512');
    expect(variables.STEWARD_BODY_BUDGET.fallback).toBe('64MiB');
    expect(megabytesOf(services[name].mem_limit)).toBeGreaterThanOrEqual(least);
  });
});

describe('the image', () => {
  it('starts the API with the same options and environment', () => {
    expect(read('Dockerfile')).toMatch(new RegExp(`^ENV (?:.*\\n)?.*${settings}$`, 'm'));
    const command = ['node', ...nodeOptionsOf('api/main.ts'), 'api/main.ts'];
    expect(read('Dockerfile')).toContain(`CMD [${command.map((part) => `"${part}"`).join(', ')}]`);
  });
});
