import { errorMessage } from '../../platform/process/error-message.ts';
import type { Target } from '../load.ts';
import type { Run } from '../run.ts';
import { comparing } from '../comparison.ts';
import type { Figure } from '../figure.ts';
import type { Site } from '../site.ts';
import { inTurn } from '../in-turn.ts';
import { flat, tuplesOf, usual, type Model, type Tuple } from './open-fga-model.ts';
import { startOpenFga, type OpenFga } from './open-fga-server.ts';
import type { Question, World } from './world.ts';

const compared = 500;
const tuplesOfCall = 100;
const callsAtOnce = 8;

/** Compares the same checks of the same world by OpenFGA and by Steward, in alternation. Returns no figures where OpenFGA is not available. */
export async function compareOpenFga(
  site: Site,
  run: Run,
  { world, questions, steward }: { world: World; questions: readonly Question[]; steward: Target },
): Promise<Figure[]> {
  const server = await startOpenFga(site, run).catch((error: unknown) => {
    run.show(`Skipping OpenFGA: ${errorMessage(error)}`);
    return undefined;
  });
  if (server === undefined) return [];
  try {
    const figures: Figure[] = [];
    for (const [model, minRatio] of [
      [usual, 20],
      [flat, 8],
    ] as const) {
      run.show(`Writing the world into ${model.name} …`);
      const target = await targetOf(server, model, world, questions);
      figures.push(
        ...(await comparing(() => [
          {
            name: 'permission check of 1',
            connections: 50,
            steward,
            against: [
              { name: model.name, target, by: server, aim: { of: 'ratio', is: 'at least', value: minRatio } },
            ],
          },
        ])(site, run)),
      );
    }
    return figures;
  } finally {
    await server.stop();
  }
}

/** Creates a store with the model and the world, and compares its decisions with the correct ones. */
async function targetOf(
  { url }: OpenFga,
  model: Model,
  world: World,
  questions: readonly Question[],
): Promise<Target> {
  const store = await post<{ id: string }>(`${url}/stores`, { name: model.relation });
  const base = `${url}/stores/${store.id}`;
  const { authorization_model_id: modelId } = await post<{ authorization_model_id: string }>(
    `${base}/authorization-models`,
    { schema_version: '1.1', type_definitions: model.types },
  );
  await writeTuples(base, tuplesOf(world));
  const bodyOf = ({ userId, document }: Question): object => ({
    authorization_model_id: modelId,
    tuple_key: { user: `user:${userId}`, relation: model.relation, object: `document:${document.id}` },
  });
  for (const question of questions.slice(0, compared)) {
    const { allowed } = await post<{ allowed: boolean }>(`${base}/check`, bodyOf(question));
    if (allowed !== question.allowed) throw new Error(`${model.name} returned a wrong decision.`);
  }
  const bodies = questions.map((question) => JSON.stringify(bodyOf(question)));
  return { url: `${base}/check`, headers: {}, body: inTurn(bodies) };
}

async function writeTuples(base: string, tuples: readonly Tuple[]): Promise<void> {
  const calls = Array.from({ length: Math.ceil(tuples.length / tuplesOfCall) }, (_, call) =>
    tuples.slice(call * tuplesOfCall, (call + 1) * tuplesOfCall),
  );
  const write = async (): Promise<void> => {
    for (let call = calls.pop(); call !== undefined; call = calls.pop()) {
      await post(`${base}/write`, { writes: { tuple_keys: call } });
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, write));
}

async function post<Response>(url: string, body: object): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} returned ${String(response.status)}: ${await response.text()}`);
  return (await response.json()) as Response;
}
