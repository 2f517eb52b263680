import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../platform/process/error-code.ts';
import { errorMessage } from '../platform/process/error-message.ts';
import { readIfThere, writeWhole } from './files.ts';
import { StartFailure } from './start-failure.ts';

// Below the range of ephemeral ports: an outgoing connection could occupy a remembered port.
const minPort = 20_000;
const maxPort = 32_000;

/** The system's error code (`EADDRINUSE`) if a server cannot listen on the port now; otherwise undefined. */
async function portProblem(port: number, host = '127.0.0.1'): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return codeOf(error) || errorMessage(error);
  } finally {
    server.close();
  }
}

// The ports of a killed process become free with a delay.
const patienceMs = 1_000;

/** Like `portProblem`, but retries a port in use for 1 s. */
async function lastingPortProblem(port: number, host: string): Promise<string | undefined> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const problem = await portProblem(port, host);
    if (problem !== 'EADDRINUSE' || Date.now() >= until) return problem;
    await pause(50);
  }
}

/** The first free port of: the remembered port, the wanted ports, random ports. */
export async function choosePort(
  remembered: number | undefined,
  wanted: readonly number[] = [],
  host = '127.0.0.1',
): Promise<number> {
  if (remembered !== undefined && (await lastingPortProblem(remembered, host)) === undefined)
    return remembered;
  for (const port of wanted) if ((await portProblem(port, host)) === undefined) return port;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(minPort, maxPort);
    if ((await portProblem(port, host)) === undefined) return port;
  }
  throw new StartFailure(
    `No free port between ${minPort} and ${maxPort} on ${host}: stop a program that listens there.`,
  );
}

/** Returns `port` if it is free, or for 0 the remembered or any free port. Otherwise throws a StartFailure. */
async function claimPort(port: number, host: string, remembered: number | undefined): Promise<number> {
  if (port === 0) return await choosePort(remembered, [], host);
  const problem = await lastingPortProblem(port, host);
  if (problem === undefined) return port;
  const choose = `choose another with PORT (PORT=${port + 1} npm start; PORT=0 selects a free one)`;
  if (problem === 'EADDRINUSE') {
    throw new StartFailure(
      `Port ${port} on ${host} is in use: stop the program that listens there, or ${choose}.`,
    );
  }
  if (problem === 'EACCES') throw new StartFailure(`This user may not listen on port ${port}: ${choose}.`);
  throw new StartFailure(`Cannot listen on ${host} (${problem}): set HOST to an address of this machine.`);
}

/** Ports by purpose, stored so that addresses stay the same across starts. */
export async function rememberedPorts(file: string): Promise<Readonly<Record<string, number>>> {
  try {
    const ports: unknown = JSON.parse((await readIfThere(file)) ?? '{}');
    const entries = typeof ports === 'object' && ports !== null ? Object.entries(ports) : [];
    return Object.fromEntries(
      entries.filter(([, port]) => Number.isInteger(port) && port > 0 && port < 65_536),
    );
  } catch {
    // Remembered ports are only preferences: ignore a damaged file.
    return {};
  }
}

/** Stores ports for the next start. */
export async function rememberPorts(file: string, ports: Readonly<Record<string, number>>): Promise<void> {
  await writeWhole(file, `${JSON.stringify(ports)}\n`);
}

/** The API's port; for port 0 it stays the same across starts, stored in `file`. */
export async function chooseApiPort(
  { port, host }: { readonly port: number; readonly host: string },
  file: string,
): Promise<number> {
  const chosen = await claimPort(port, host, (await rememberedPorts(file))['api']);
  if (port === 0) await rememberPorts(file, { api: chosen });
  return chosen;
}
