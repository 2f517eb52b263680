import { useState, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useParams } from '@tanstack/react-router';
import iconUrl from '../styles/icon.svg';
import { defaultKeyOf, sessionQuery, signOut } from '../session/session.ts';
import { useAct } from '../elements/act.ts';
import { Button } from '../elements/button.tsx';
import { SelectField } from '../elements/field.tsx';
import { Failure } from '../elements/states.tsx';
import { titleOf } from '../elements/words.ts';
import { KeyPicker } from './key-picker.tsx';
import { keyPages, wholePages } from './navigation.ts';
import { useSession } from './session-of-page.ts';
import { storedTheme, storeTheme, themes, type Theme } from './theme.ts';

export function SideBar(): ReactNode {
  const [open, setOpen] = useState(false);
  const session = useSession();
  const { keyId = defaultKeyOf(session)?.id } = useParams({ strict: false });
  const page = useLocation().pathname.split('/').at(-1) ?? '';
  return (
    <header className="side" data-open={open}>
      <div className="top">
        <Link to="/" className="brand">
          <img src={iconUrl} alt="" />
          Steward
        </Link>
        <span className="menu">
          <Button
            look="small"
            onPress={() => setOpen(!open)}
            label={open ? 'Close the menu' : 'Open the menu'}
          >
            Menu
          </Button>
        </span>
      </div>
      <div className="folded">
        {keyId !== undefined && (
          <nav aria-label="API key" className="stack">
            <KeyPicker keyId={keyId} />
            <ul>
              {keyPages.map(({ to, title, holds }) => (
                <li key={to}>
                  <Link
                    to={to}
                    params={{ keyId }}
                    onClick={() => setOpen(false)}
                    data-holds={isOneOf(page, holds)}
                  >
                    {title}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <Everything close={() => setOpen(false)} />
        <Foot />
      </div>
    </header>
  );
}

const isOneOf = (page: string, pages: readonly string[]): boolean => pages.includes(page);

const groups = { workspace: 'Workspace', key: 'Session', operator: 'Deployment' } as const;

function Everything({ close }: { readonly close: () => void }): ReactNode {
  const { kind } = useSession();
  const pages = wholePages[kind];
  return (
    <nav aria-label={groups[kind]}>
      <p className="group">{groups[kind]}</p>
      <ul>
        {pages.map(({ to, title }) => (
          <li key={to}>
            <Link to={to} onClick={close}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Foot(): ReactNode {
  const { actor, kind, version } = useSession();
  const [theme, setTheme] = useState<Theme>(storedTheme);
  const queries = useQueryClient();
  const { mutation, run } = useAct(signOut, {
    onSuccess: () => {
      queries.setQueryData(sessionQuery.queryKey, null);
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
    },
  });
  return (
    <div className="foot">
      <SelectField
        label="Theme"
        value={theme}
        values={themes.map((name) => [name, titleOf(name)] as const)}
        onChange={(value = 'system') => {
          storeTheme(value);
          setTheme(value);
        }}
      />
      <span>
        Signed in as {kind} {actor}
      </span>
      <Button look="small" isPending={mutation.isPending} onPress={() => run(undefined)}>
        Sign out
      </Button>
      {mutation.isError && <Failure error={mutation.error} />}
      <span>
        <a href="/docs">API reference</a> · {version}
      </span>
    </div>
  );
}
