import { Migration } from '@mikro-orm/migrations';

const stagedRequest = [
  // A request to a model and its response, until the caller has the response. call_hash identifies repetitions of a
  // call; calls counts requests to the provider.
  `create table staged_request (id bigint generated always as identity primary key, public_id text not null,
     api_key_id bigint not null, call_hash bytea, request_enc bytea not null, answer_enc bytea,
     calls smallint not null default 0, asked_at timestamptz not null default now())`,
  // Ciphertexts do not compress.
  `alter table staged_request alter column request_enc set storage external, alter column answer_enc set storage external`,
  `create unique index staged_request_public_id on staged_request (public_id)`,
  `create unique index staged_request_call on staged_request (api_key_id, call_hash) where call_hash is not null`,
  `create index staged_request_asked_at on staged_request (asked_at)`,
];

/** Creates staged requests to AI models. */
export class Rewriter extends Migration {
  override up(): void {
    for (const statement of stagedRequest) this.addSql(statement);
  }
}
