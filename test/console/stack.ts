import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DemoFile } from '../../local/demo-file.ts';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { npmStart } from '../start/npm-start.ts';
import { eventually } from '../support/eventually.ts';

/** `npm start` on a data folder of its own, with its console built. */
export interface Stack {
  readonly demo: DemoFile;
  readonly dataDirectory: string;
  /** The printed sign-in link, which works once. */
  readonly link: string;
  readonly close: () => Promise<void>;
}

/** Starts it. The test file must call `afterAll(stack.close)`. */
export async function aStack(environment: NodeJS.ProcessEnv = {}): Promise<Stack> {
  const data = join(await mkdtemp(join(tmpdir(), 'console-stack-')), 'data');
  const start = npmStart(data, environment);
  const close = async (): Promise<void> => {
    start.child.kill('SIGTERM');
    await start.ended();
    await removeCluster(join(data, 'postgres'));
  };
  try {
    const demo = await start.ready();
    const [link = ''] = await eventually(() => /http\S+\/console#code=\S+/.exec(start.output()) ?? false);
    // The build starts once the API runs.
    await eventually(async () => (await fetch(`${demo.baseUrl}/console`)).ok);
    return { demo, dataDirectory: data, link, close };
  } catch (error) {
    await close();
    throw error;
  }
}
