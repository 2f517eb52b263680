/**
 * SQL: makes functions run with the privileges of their owner, not of the role of API and worker, which has none on a new
 * table until `migrate` ends. Fixes the search path: temporary objects of the caller cannot replace the schema's own.
 */
export const runAsOwner = (functions: readonly string[]): string =>
  `do $$
   declare signature text;
   begin
     foreach signature in array array[${functions.map((signature) => `'${signature}'`).join(', ')}] loop
       execute format('alter function %s security definer set search_path = %I, pg_temp', signature, current_schema());
       execute format('revoke all on function %s from public', signature);
     end loop;
   end $$`;
