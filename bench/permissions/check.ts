import { inTurn } from '../in-turn.ts';
import type { Target } from '../load.ts';
import type { Bench } from '../run.ts';
import { comparing } from '../comparison.ts';
import type { Site } from '../site.ts';
import type { BenchKey } from '../tenant.ts';
import { loadWorld, organizationId } from './load-world.ts';
import { compareOpenFga } from './open-fga.ts';
import { manyQuestions, makeWorld, singleQuestions, type Question } from './world.ts';

const pairs = 20_000;
const many = 100;
const callsOfMany = 500;

/** Measures auth/permissions/check of 1 and of 100 documents, after comparing the decisions with the correct ones. */
export const checkPermissions: Bench = async (site, run) => {
  run.show('Loading 1,000 folders, 20,000 documents and 40,000 grants …');
  const world = makeWorld();
  const key = await site.newKey();
  await loadWorld(site, key, world);
  const singles = singleQuestions(world, pairs);
  const questions = {
    1: singles.map((question) => [question]),
    [many]: manyQuestions(world, callsOfMany, many),
  };
  run.show('Comparing the decisions with the correct ones …');
  const bySubject = [...Map.groupBy(singles, ({ userId }) => userId).values(), ...questions[many]];
  for (const url of [stewardUrl(site), floorUrl(site)]) await compareResponses(url, key, bySubject);
  const target = (url: string, calls: readonly (readonly Question[])[]): Target => ({
    url,
    headers: key.headers,
    body: inTurn(calls.map(bodyOf)),
  });
  const figures = await comparing(() =>
    Object.entries(questions).map(([number, calls]) => ({
      name: `permission check of ${number}`,
      connections: Number(number) === 1 ? 50 : 10,
      steward: target(stewardUrl(site), calls),
      against: [
        {
          name: 'Koa + zod + pg, same statements',
          target: target(floorUrl(site), calls),
          aim: { of: 'ratio', is: 'at least', value: 0.7 },
        },
      ],
    })),
  )(site, run);
  if (!run.peers) return figures;
  const steward = target(stewardUrl(site), questions[1]);
  return [...figures, ...(await compareOpenFga(site, run, { world, questions: singles, steward }))];
};

const stewardUrl = ({ api }: Site): string => `${api.url}/v2/auth/permissions/check`;
const floorUrl = ({ floor }: Site): string => `${floor.url}/permissions`;

/** Returns the body of a call; all questions are of one user. */
function bodyOf(questions: readonly Question[]): string {
  const resources = questions.map(({ document }) => ({ type: 'document', id: document.id, organizationId }));
  return JSON.stringify({ data: { userId: questions[0]?.userId, resources } });
}

interface Response {
  readonly result: { readonly data: readonly { readonly id: string; readonly hasAccess: boolean }[] };
}

/** Throws when a decision is not the correct one. */
async function compareResponses(
  url: string,
  { headers }: BenchKey,
  calls: readonly (readonly Question[])[],
): Promise<void> {
  for (const questions of calls) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: bodyOf(questions),
    });
    const { result } = (await response.json()) as Response;
    const wrong = questions.filter(
      ({ document, allowed }, index) =>
        result.data[index]?.id !== document.id || result.data[index].hasAccess !== allowed,
    );
    if (wrong.length > 0) throw new Error(`${url} returned ${String(wrong.length)} wrong decisions.`);
  }
}
