import { Migration } from '@mikro-orm/migrations';

const stagedRequest = [
  // A text on its way to a model, and the answer on its way back; the row goes with the answer. call_hash names a
  // repetition of the same call, calls counts how often the provider was asked.
  `create table staged_request (id bigint generated always as identity primary key, public_id text not null,
     api_key_id bigint not null, call_hash bytea, request_enc bytea not null, answer_enc bytea,
     calls smallint not null default 0, asked_at timestamptz not null default now())`,
  // Sealed bytes do not compress.
  `alter table staged_request alter column request_enc set storage external, alter column answer_enc set storage external`,
  `create unique index staged_request_public_id on staged_request (public_id)`,
  `create unique index staged_request_call on staged_request (api_key_id, call_hash) where call_hash is not null`,
  `create index staged_request_asked_at on staged_request (asked_at)`,
];

/** Requests to AI models. */
export class Rewriter extends Migration {
  override up(): void {
    for (const statement of stagedRequest) this.addSql(statement);
  }
}
