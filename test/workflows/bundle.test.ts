import { readdir } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { jobKinds } from '../../domain/job-handlers/job-kinds.ts';
import { specialWork } from '../../domain/jobs/job-kinds.ts';
import { sweepSchedule } from '../../workflows/starts.ts';
import { modulesOf, theBundle } from './bundle.ts';

/** Packages of the SDK's workflow library. */
const libraries = ['@temporalio/common', '@temporalio/workflow', 'nexus-rpc', 'ms', 'long'];

let modules: string[];

beforeAll(async () => {
  modules = modulesOf(await theBundle());
});

describe('the workflow bundle', () => {
  it('contains only the files of workflows/ and the SDK', () => {
    const ours = modules.filter((path) => path.startsWith('./') && !path.startsWith('./node_modules/'));
    expect(ours.filter((path) => !/^\.\/workflows\/[a-z-]+\.ts$/.test(path))).toEqual([]);
    const foreign = modules
      .filter((path) => path.startsWith('./node_modules/'))
      .filter((path) => !libraries.some((library) => path.startsWith(`./node_modules/${library}/`)));
    expect(foreign).toEqual([]);
  });

  it('contains every file of workflows/ except starts.ts, which only callers import', async () => {
    const all = await readdir(new URL('../../workflows/', import.meta.url));
    const files = all.filter((file) => file !== 'starts.ts');
    expect(modules.filter((path) => path.startsWith('./workflows/')).sort()).toEqual(
      files.map((file) => `./workflows/${file}`).sort(),
    );
  });

  it('exports a workflow for every name of the contract', async () => {
    const registry = await import('../../workflows/index.ts');
    const ofJobs = [
      ...jobKinds.map(({ workflow }) => workflow),
      ...Object.values(specialWork).map(({ workflow }) => workflow),
    ];
    expect(Object.keys(registry)).toEqual(expect.arrayContaining([...ofJobs, sweepSchedule.workflowType]));
  });
});
