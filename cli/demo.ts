import { createClient } from '../packages/client/source/steward.ts';
import type { Configuration } from '../platform/config/configuration.ts';
import { readConfiguration } from '../platform/config/read-configuration.ts';
import { withSecretFiles } from '../platform/config/secret-files.ts';
import { exitCodes } from '../platform/process/exit-codes.ts';
import { findWorkflows } from './demo/find-workflows.ts';
import { proveForgotten, proveThread, startThread } from './demo/follow-thread.ts';
import { forgetPerson } from './demo/forget-person.ts';
import { fillDocument, seedOrganizations, personOf } from './demo/seed.ts';
import { listen } from './demo/listen.ts';
import { moveDocument } from './demo/move-document.ts';
import { createNarrator, duration } from './demo/narrator.ts';
import { proveEvents } from './demo/prove-events.ts';
import { proveMove } from './demo/prove-move.ts';
import type { Stage } from './demo/stage.ts';
import { findOrStart } from './demo/steward.ts';
import { failureOf } from './failure.ts';

/** `npm run demo`: demonstrates the product over HTTP with real data. Exit codes: 0 all checks passed, 1 failure, 2 invalid configuration. */
const narrator = createNarrator((text) => process.stdout.write(text));
const stopRequest = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopRequest.abort(new Error('The demo was canceled.')));
}

try {
  await run(readConfiguration(process.env, 'cli'), stopRequest.signal);
} catch (error) {
  const { text, exitCode } = failureOf(stopRequest.signal.aborted ? stopRequest.signal.reason : error);
  process.stderr.write(`${text}\n`);
  process.exitCode = exitCode;
}

async function run(configuration: Configuration, signal: AbortSignal): Promise<void> {
  const steward = await findOrStart({
    dataDirectory: configuration.dataDirectory,
    environment: withSecretFiles(process.env),
    say: (sentence) => console.log(sentence),
    signal,
  });
  try {
    const began = performance.now();
    const { baseUrl, apiKey, authToken } = steward.file;
    await play(configuration, {
      installation: steward.file,
      steward: createClient({ baseUrl, apiKey, authToken, signal }),
      narrator,
      run: Date.now().toString(36),
      signal,
    });
    console.log(`\nAll checks passed in ${duration(performance.now() - began)}.`);
    if (steward.startedHere) {
      console.log(
        'Steward stops now. npm start starts it again with this data, and with the workflows in the Temporal UI.',
      );
    }
    process.exitCode = exitCodes.done;
  } finally {
    await steward.stop();
  }
}

/** Runs the acts in order. Each receives the results of earlier ones. */
async function play(configuration: Configuration, stage: Stage): Promise<void> {
  const document = await seedOrganizations(stage);
  const listener = await listen(stage);
  try {
    const written = await fillDocument(stage, document);
    const thread = await startThread(stage, document);
    const moved = await moveDocument(stage, document, written);
    await proveMove(stage, moved);
    await proveThread(stage, thread, moved.to);
    await proveEvents(stage, listener, moved);
    const person = personOf('linus', stage.run);
    const deletion = await forgetPerson(stage, listener, moved.to, person);
    await proveForgotten(stage, moved.to, person);
    await findWorkflows(stage, configuration, { moved, deletion, endpointId: listener.endpointId });
  } finally {
    await listener.stop();
  }
}
