import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { readIfThere, writeWhole } from './files.ts';
import { codeOf, messageOf, StartFailure } from './start-failure.ts';

// Below the range that systems hand out for outgoing connections, which could take a remembered port away.
const lowest = 20_000;
const highest = 32_000;

/** Why a server could not listen there now, as the system names it (`EADDRINUSE`); undefined where it could. */
export async function portProblem(port: number, host = '127.0.0.1'): Promise<string | undefined> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host, exclusive: true }, resolve);
    });
    return undefined;
  } catch (error) {
    return codeOf(error) || messageOf(error);
  } finally {
    server.close();
  }
}

// A killed process gives its ports back a moment after it is gone.
const patienceMs = 1_000;

/** As `portProblem`, but a port that is in use is looked at again for a second. */
async function lastingPortProblem(port: number, host: string): Promise<string | undefined> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const problem = await portProblem(port, host);
    if (problem !== 'EADDRINUSE' || Date.now() >= until) return problem;
    await pause(50);
  }
}

/** The port of last time if it is free, else the first of the wanted ones that is, else one by chance. */
export async function choosePort(
  remembered: number | undefined,
  wanted: readonly number[] = [],
  host = '127.0.0.1',
): Promise<number> {
  if (remembered !== undefined && (await lastingPortProblem(remembered, host)) === undefined)
    return remembered;
  for (const port of wanted) if ((await portProblem(port, host)) === undefined) return port;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(lowest, highest);
    if ((await portProblem(port, host)) === undefined) return port;
  }
  throw new StartFailure(
    `No free port between ${lowest} and ${highest} on ${host}: stop a program that listens there.`,
  );
}

/** The port of a server of ours: the one that is asked for, or, for 0, the one of last time or any other. Throws a StartFailure. */
export async function claimPort(port: number, host: string, remembered: number | undefined): Promise<number> {
  if (port === 0) return await choosePort(remembered, [], host);
  const problem = await lastingPortProblem(port, host);
  if (problem === undefined) return port;
  const choose = `choose another with PORT (PORT=${port + 1} npm start; PORT=0 takes a free one)`;
  if (problem === 'EADDRINUSE') {
    throw new StartFailure(
      `Port ${port} on ${host} is taken: stop the program that listens there, or ${choose}.`,
    );
  }
  if (problem === 'EACCES') throw new StartFailure(`Port ${port} is not for this user: ${choose}.`);
  throw new StartFailure(
    `Nothing can listen on ${host} (${problem}): set HOST to an address of this machine.`,
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

/** The port of the API: of two starts the same one where it is left to Steward, which `file` remembers. */
export async function chooseApiPort(
  { port, host }: { readonly port: number; readonly host: string },
  file: string,
): Promise<number> {
  const chosen = await claimPort(port, host, (await rememberedPorts(file))['api']);
  if (port === 0) await rememberPorts(file, { api: chosen });
  return chosen;
}
