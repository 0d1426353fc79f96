import { folderName } from '../../ui/folder-name';
import type { Scope, Workspace } from './use-workspace';

const item =
  'h-6 rounded-sm px-2 text-xs font-medium whitespace-nowrap text-muted hover:text-text aria-pressed:bg-canvas aria-pressed:text-text aria-pressed:shadow-raised';

/** Whose workspace is looked at; without a session only what new ones begin with. */
export function ScopeSwitch({ workspace }: { readonly workspace: Workspace }) {
  const { scope, setScope, hasSession, project } = workspace;
  const fresh = project === null ? 'New sessions' : `New sessions in ${folderName(project)}`;
  if (!hasSession) return <p className="min-w-0 truncate text-xs text-muted">{fresh}</p>;
  const button = (value: Scope, label: string) => (
    <button
      type="button"
      aria-pressed={scope === value}
      className={`${item} max-w-56 truncate`}
      onClick={() => setScope(value)}
    >
      {label}
    </button>
  );
  return (
    <div role="group" aria-label="Whose workspace" className="flex min-w-0 rounded-md bg-active p-0.5">
      {button('session', 'This session')}
      {button('project', fresh)}
    </div>
  );
}
