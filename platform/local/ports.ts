import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { readIfThere, writeWhole } from './files.ts';
import { codeOf, StartFailure } from './start-failure.ts';

// Below the range that systems hand out for outgoing connections, which could take a remembered port away.
const lowest = 20_000;
const highest = 32_000;

/** Whether a server could listen there now. Throws what else is wrong with the address. */
export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host, exclusive: true }, resolve);
    });
    return true;
  } catch (error) {
    if (['EADDRINUSE', 'EACCES'].includes(codeOf(error))) return false;
    throw error;
  } finally {
    server.close();
  }
}

/** The first of the wanted ports that is free, else one by chance. */
export async function choosePort(wanted: readonly number[], host = '127.0.0.1'): Promise<number> {
  for (const port of wanted) if (await isFree(port, host)) return port;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(lowest, highest);
    if (await isFree(port, host)) return port;
  }
  throw new StartFailure(
    `No free port between ${lowest} and ${highest} on ${host}: stop a program that listens there.`,
  );
}

/** Ports by purpose, kept in a file so that addresses stay the same from start to start where possible. */
export async function rememberedPorts(file: string): Promise<Readonly<Record<string, number>>> {
  try {
    const ports: unknown = JSON.parse((await readIfThere(file)) ?? '{}');
    const entries = typeof ports === 'object' && ports !== null ? Object.entries(ports) : [];
    return Object.fromEntries(
      entries.filter(([, port]) => Number.isInteger(port) && port > 0 && port < 65_536),
    );
  } catch {
    // Only a preference: a damaged file is as good as none.
    return {};
  }
}

/** Keeps ports for the next start. */
export async function rememberPorts(file: string, ports: Readonly<Record<string, number>>): Promise<void> {
  await writeWhole(file, `${JSON.stringify(ports)}\n`);
}
