import { describe, expect, it } from '@jest/globals';
import { removeDependents } from '../../../domain/comments/remove-threads.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { documentScene } from '../../support/document-scene.ts';
import { eventually } from '../../support/eventually.ts';

const scene = await documentScene();
const { api, tenant } = scene;

describe('the removal of what a deleted annotation leaves', () => {
  it('keeps comments until all of their reactions are removed, also during concurrent deletions', async () => {
    const commentData = [{ from: { userId: 'ada' } }];
    const commentAnnotations = [{ annotationId: 'a', commentData }];
    await tenant.ok('/v2/commentannotations/add', { ...scene.document, commentAnnotations });
    await api.database.sql(
      `insert into reaction (comment_id, icon, user_id, api_key_id, org_id, at, body)
       select c.id, 'icon-' || n, c.author_id, c.api_key_id, c.org_id, 1, '{}' from comment c, generate_series(1, 5) n
       where c.api_key_id = $1`,
      [tenant.id],
    );
    const [thread] = await api.database.sql<{ id: string }>('select id from thread where api_key_id = $1', [
      tenant.id,
    ]);
    const other = await api.database.connect();
    await other.query('begin');
    await other.query(`delete from reaction where api_key_id = $1 and icon in ('icon-1', 'icon-3')`, [
      tenant.id,
    ]);
    const step = async () =>
      inTransaction(api.orm, async (em) => removeDependents(em, [thread?.id ?? ''], 3));
    const removing = step();
    await eventually(async () => {
      const waiting = await api.database.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    await other.query('commit');
    let { more } = await removing;
    while (more) ({ more } = await step());
    const remaining = await api.database.sql(
      `select 'comment' as of from comment where api_key_id = $1
       union all select 'reaction' from reaction where api_key_id = $1`,
      [tenant.id],
    );
    expect(remaining).toEqual([]);
  });
});
