import { channelNumbers, providerNumbers } from '../../domain/notices/channels.ts';
import { finalStatuses } from '../../domain/notices/statuses.ts';
import { median, quantile, type Figure } from '../figure.ts';
import type { Run } from '../run.ts';
import type { Site } from '../site.ts';
import { documentId } from '../tenant.ts';
import { posted } from '../webhooks/tenant.ts';
import { newMailingKey, readersOfNotification, type MailingKey } from './world.ts';

const page = 100;
/** Each user of the organization with few deliveries has 33. */
const pageOfUser = 30;
const days = 28;
const maxMs = 20;

/** Deliveries that one statement loads. */
const chunk = 300_000;

interface SizedOrganization {
  readonly organizationId: string;
  readonly deliveries: number;
}

/**
 * Compares deliveries/get and explain in an organization with many deliveries with one of few in the same tables.
 * Deliveries are spread over the daily partitions of four weeks.
 */
export async function measureReads(site: Site, run: Run): Promise<Figure[]> {
  const key = await newMailingKey(site);
  const few: SizedOrganization = { organizationId: 'few', deliveries: 9_999 };
  const many: SizedOrganization = { organizationId: 'many', deliveries: run.quick ? 300_000 : 9_999_999 };
  await makePartitions(site);
  for (const sized of [few, many]) await load(site, key, sized, run);
  await site.sql.query('vacuum analyze notification, notification_recipient, delivery_log, delivery_item');
  await site.sql.query('checkpoint');
  const label = run.quick ? '300 k' : '10 M';
  const figures: Figure[] = [];
  for (const [name, path, body] of [
    [`deliveries/get, ${String(page)} of ${label}`, 'deliveries/get', listed],
    [`deliveries/get by user, ${String(pageOfUser)} of ${label}`, 'deliveries/get', listedByUser],
    [`explain, one notification of ${label}`, 'explain', explained],
  ] as const) {
    run.show(`${name} …`);
    const times = { few: [] as number[], many: [] as number[] };
    for (let round = 0; round < run.rounds.number; round += 1) {
      for (const [which, sized] of Object.entries({ few, many }) as ['few' | 'many', SizedOrganization][])
        times[which].push(await p99Of(site, key, { path, body: (n) => body(sized, n), run }));
    }
    figures.push({
      name: `${name}, p99`,
      unit: 'ms',
      steward: median(times.many),
      against: { name: 'the same of 10 k', measured: median(times.few) },
      ratio: median(times.many.map((time, round) => time / (times.few[round] ?? Number.NaN))),
      target: { of: 'ratio', is: 'at most', value: 1.3 },
    });
    figures.push({
      name: `${name}, p99 at most`,
      unit: 'ms',
      steward: median(times.many),
      target: { of: 'measured', is: 'at most', value: maxMs },
    });
  }
  return figures;
}

const reader = (n: number): string => `reader-${String((n * 7) % 300)}`;
const listed = ({ organizationId }: SizedOrganization, n: number) => ({
  organizationId,
  pageSize: page,
  since: Date.now() - ((n % days) + 1) * 86_400_000,
});
const listedByUser = ({ organizationId }: SizedOrganization, n: number) => ({
  organizationId,
  userId: reader(n),
  pageSize: pageOfUser,
});
const explained = ({ organizationId, deliveries }: SizedOrganization, n: number) => {
  const nth = 1 + ((n * 7_919) % Math.floor(deliveries / readersOfNotification));
  return { organizationId, notificationId: `n-${String(nth)}`, userId: `reader-${String((nth * 3) % 300)}` };
};

/** Returns the p99 of sequential requests in milliseconds. */
async function p99Of(
  { api }: Site,
  { headers }: MailingKey,
  { path, body, run }: { readonly path: string; readonly body: (n: number) => object; readonly run: Run },
): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < (run.quick ? 150 : 400); n += 1) {
    run.signal.throwIfAborted();
    const began = performance.now();
    await posted(`${api.url}/v2/notifications/${path}`, headers, JSON.stringify({ data: body(n) }));
    took.push(performance.now() - began);
  }
  return quantile(took, 0.99);
}

/** Creates the partitions of past days: Steward creates only those of coming days. */
async function makePartitions({ sql }: Site): Promise<void> {
  for (const table of ['delivery_log', 'delivery_item'])
    await sql.query(
      `select create_day_partition($1, current_date - n, 100) from generate_series(0, $2::int) as n
       where to_regclass($1 || to_char(current_date - n, '_YYYYMMDD')) is null`,
      [table, days],
    );
}

/** Loads 3 deliveries for each notification, to the key's readers in rotation. */
async function load(site: Site, key: MailingKey, sized: SizedOrganization, run: Run): Promise<void> {
  const { organizationId, deliveries } = sized;
  await key.steward.organizations.add({ organizations: [{ organizationId }] });
  await key.steward.documents.add({ organizationId, documents: [{ documentId }] });
  const { rows } = await site.sql.query<{ organization: string; document: string }>(
    `select o.id as organization, d.id as document from organization o join document d on d.org_id = o.id
     where o.api_key_id = $1 and o.ext_id = $2 and d.ext_id = $3`,
    [key.id, organizationId, documentId],
  );
  const [{ organization, document } = { organization: '', document: '' }] = rows;
  const attempts = JSON.stringify([
    { number: 1, at: 1_760_000_000_000, outcome: 'accepted', code: '2.0.0', durationMs: 12 },
  ]);
  for (let from = 0; from < deliveries; from += chunk) {
    run.signal.throwIfAborted();
    run.show(`Deliveries ${from.toLocaleString('en-US')} of ${deliveries.toLocaleString('en-US')} …`);
    const number = Math.min(chunk, deliveries - from);
    await site.sql.query(
      `with added as (
         insert into notification (api_key_id, org_id, document_id, ext_id, source, actor_id, ts, recipient_count, body)
         select $1, $2, $3, 'n-' || n, 5, ($4::bigint[])[1],
           floor(extract(epoch from now() - (n + 1) * $5 / $8::float8 * $9::int * interval '1 day') * 1000), $5, json_build_object(
           'notificationSource', 'custom', 'actionUser', json_build_object('userId', 'actor', 'name', 'Ada Lovelace'),
           'displayHeadlineMessageTemplate', '{actionUser} asked', 'displayBodyMessage', 'Could you have another look?')
         from generate_series($6::int / $5 + 1, ($6::int + $7::int) / $5) as n
         returning id, audience, ts, substr(ext_id, 3)::bigint as nth),
       pairs as (
         select a.id, a.audience, a.ts, ($4::bigint[])[1 + (a.nth * $5 + r) % cardinality($4::bigint[])] as reader,
           nextval(pg_get_serial_sequence('outgoing', 'id')) as delivery,
           now() - (a.nth * $5 + r)::float8 / $8::float8 * $9::int * interval '1 day' as at
         from added a, generate_series(0, $5::int - 1) as r),
       received as (
         insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, ts)
         select reader, audience, $1, $2, $3, ts from pairs),
       logged as (
         insert into delivery_log (id, at, api_key_id, org_id, user_id, channel, provider, status, digest, public_id, provider_ref,
           attempts, ended_at)
         select delivery, at, $1, $2, reader, ${String(channelNumbers.email)}, ${String(providerNumbers.smtp)},
           ${String(finalStatuses.sent)}, false, 'dlv_' || $2 || '_' || delivery, '<dlv_' || delivery || '@mail.test>', $10::json, at
         from pairs)
       insert into delivery_item (at, delivery_id, notification_id, document_id) select at, delivery, id, $3 from pairs`,
      [
        key.id,
        organization,
        document,
        key.readers,
        readersOfNotification,
        from,
        number,
        deliveries,
        days - 1,
        attempts,
      ],
    );
  }
}
