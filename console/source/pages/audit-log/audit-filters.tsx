import type { ReactNode } from 'react';
import { getRouteApi } from '@tanstack/react-router';
import { Button } from '../../elements/button.tsx';
import { SelectField, TextField } from '../../elements/field.tsx';
import { formText } from '../../elements/form-text.ts';
import { actorKinds, outcomes, type AuditSearch } from './filters.ts';

const route = getRouteApi('/audit-log');

/** Choices apply at once, texts when they are sent. */
export function AuditFilters(): ReactNode {
  const { pageToken: _, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: AuditSearch): void => void navigate({ search: { ...search, ...changed } });
  return (
    <search>
      <form
        className="filters wrapping"
        key={JSON.stringify(search)}
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          change({
            action: formText(form, 'action') || undefined,
            actor: formText(form, 'actor') || undefined,
            from: timeOf(formText(form, 'from')),
            until: timeOf(formText(form, 'until')),
          });
        }}
      >
        <TextField name="action" label="Action" defaultValue={search.action} />
        <TextField name="actor" label="Actor" defaultValue={search.actor} />
        <SelectField
          label="Kind of actor"
          value={search.actorKind}
          values={actorKinds}
          none="All kinds"
          onChange={(actorKind) => change({ actorKind })}
        />
        <SelectField
          label="Outcome"
          value={search.outcome}
          values={outcomes}
          none="All outcomes"
          onChange={(outcome) => change({ outcome })}
        />
        <TextField name="from" label="From" type="datetime-local" defaultValue={localTime(search.from)} />
        <TextField name="until" label="Until" type="datetime-local" defaultValue={localTime(search.until)} />
        <Button type="submit">Filter</Button>
      </form>
    </search>
  );
}

/** The value of a `datetime-local` field is in the reader’s zone. */
function timeOf(text: string): number | undefined {
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

function localTime(at: number | undefined): string | undefined {
  if (at === undefined) return undefined;
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return Number.isNaN(local.getTime()) ? undefined : local.toISOString().slice(0, 16);
}
