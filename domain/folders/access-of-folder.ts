import { sql } from 'kysely';

/** SQL: the access type of the folder `f`, else of the nearest folder above it that has one; null when none has. */
export const accessOfFolder = sql<number | null>`coalesce(f.access_type, (
    select a.access_type from unnest(f.ancestors) with ordinality as above (id, position) join folder a on a.id = above.id
    where a.access_type is not null order by above.position desc limit 1))`;
