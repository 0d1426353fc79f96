import type { AppError } from '#shared/app-error';
import type { Grant } from '#shared/grant';
import { describeScope, describeBoundArguments } from '#shared/grant-labels';
import type { Result } from '#shared/result';
import { Ban, CircleCheck } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { text } from '../../locales/text';
import { useCommands } from '../../store/app-context';
import { Button } from '../../ui/button';
import { ErrorCard } from '../../ui/error-card';
import { formatDate } from '../../ui/format';
import { useClock } from '../../ui/use-clock';

/** The saved permissions according to main, and how to revoke one. */
function useGrants() {
  const { listGrants, revokeGrant } = useCommands();
  const [grants, setGrants] = useState<readonly Grant[] | null>(null);
  const [problem, setProblem] = useState<AppError | null>(null);
  const take = useCallback((listed: Result<readonly Grant[]>): void => {
    setProblem(listed.ok ? null : listed.error);
    if (listed.ok) setGrants(listed.value);
  }, []);
  useEffect(() => void listGrants().then(take), [listGrants, take]);
  const revoke = async (id: string): Promise<void> => {
    const revoked = await revokeGrant(id);
    // Another client may have revoked it first, so reload the list either way.
    take(await listGrants());
    if (!revoked.ok) setProblem(revoked.error);
  };
  return { grants, problem, revoke };
}

const sentence = (phrase: string): string => phrase.charAt(0).toUpperCase() + phrase.slice(1);

function GrantRow({ grant, onRevoke }: { readonly grant: Grant; readonly onRevoke: () => void }) {
  useClock();
  const { tool, decision, reach, at } = grant;
  const allowed = decision === 'allow';
  const Icon = allowed ? CircleCheck : Ban;
  const name = tool.replace(/^mcp:\/\//, '');
  const scope = describeScope(grant);
  return (
    <li className="flex items-start gap-3 py-2.5 pe-2 ps-3">
      <Icon
        aria-hidden
        size={16}
        className={`mt-0.5 shrink-0 ${allowed ? 'text-accent-text' : 'text-danger-text'}`}
      />
      <div className="min-w-0 flex-1 text-sm">
        <p className="readable font-mono text-xs leading-5 wrap-anywhere">{name}</p>
        <p className="wrap-anywhere">
          {sentence(
            text(allowed ? 'settings.approvals.allowed' : 'settings.approvals.blocked', {
              scope,
              values: describeBoundArguments(grant),
            }),
          )}
        </p>
        <p className="readable numbers text-xs text-muted wrap-anywhere">
          {reach.kind === 'always' && `${reach.project} · `}
          {text('settings.approvals.given', { date: formatDate(at) })}
        </p>
      </div>
      <Button aria-label={text('settings.approvals.revokeNamed', { name, scope })} onClick={onRevoke}>
        {text('settings.approvals.revoke')}
      </Button>
    </li>
  );
}

/** All saved permissions of the user. */
export function ApprovalsSection() {
  const { grants, problem, revoke } = useGrants();
  return (
    <>
      <p className="text-sm text-muted">{text('settings.approvals.about')}</p>
      {problem && <ErrorCard error={problem} />}
      {grants?.length === 0 && (
        <p className="rounded-lg border border-dashed border-line p-4 text-sm text-muted">
          {text('settings.approvals.none')}
        </p>
      )}
      {grants !== null && grants.length > 0 && (
        <ul
          aria-label={text('settings.approvals.list')}
          className="-my-2 divide-y divide-line rounded-lg border border-line"
        >
          {grants.map((grant) => (
            <GrantRow key={grant.id} grant={grant} onRevoke={() => void revoke(grant.id)} />
          ))}
        </ul>
      )}
    </>
  );
}
