import { busyTurn } from '#shared/attention';
import type { AppError } from '#shared/app-error';
import type { Result } from '#shared/result';
import type { WorkspaceCall, WorkspaceView } from '#shared/workspace-call';
import { useCallback, useEffect, useState } from 'react';
import { useCommands, useCurrentSession, useMirror, useProject, useView } from '../../store/app-context';
import { afterwards, type Outcome } from './workspace-labels';

/** Whose workspace is shown: that of the session on the screen, or the default for new sessions. */
export type Scope = 'session' | 'project';

type Unplaced<T> = T extends unknown ? Omit<T, 'sessionId' | 'project'> : never;
/** A call for the workspace in scope. */
export type WorkspaceAct = Unplaced<WorkspaceCall>;

export interface Workspace {
  readonly scope: Scope;
  readonly setScope: (scope: Scope) => void;
  readonly hasSession: boolean;
  readonly project: string | null;
  /** The workspace according to main; null until it is loaded. */
  readonly view: WorkspaceView | null;
  /** Why loading failed. */
  readonly problem: AppError | null;
  readonly busy: WorkspaceAct['op'] | null;
  /** The outcome of the last action. */
  readonly outcome: Outcome | null;
  readonly reload: () => void;
  /** Sends a call without changing any state here. */
  readonly ask: (act: WorkspaceAct) => Promise<Result<WorkspaceView>>;
  /** Runs an action and reports its outcome; returns whether it succeeded. */
  readonly act: (act: WorkspaceAct) => Promise<boolean>;
  /**
   * Allows a folder to be synced under a name and syncs it; with `create`, writes a workspace into it first.
   */
  readonly bind: (name: string, how: 'bind' | 'create') => Promise<boolean>;
  /** Changes whenever earlier answers may be outdated. */
  readonly time: string;
}

/** Adds the scope to calls. */
function usePlacedCalls(scope: Scope) {
  const commands = useCommands();
  const sessionId = useView((view) => view.sessionId);
  const project = useProject();
  return useCallback(
    (act: WorkspaceAct) => {
      const place = scope === 'session' && sessionId !== null ? { sessionId } : { project };
      return commands.callWorkspace({ ...act, ...place });
    },
    [commands, scope, sessionId, project],
  );
}

/** The workspace's status, reloaded when it may have changed. */
function useStatus(ask: Workspace['ask'], time: string) {
  const [shown, setShown] = useState<{ readonly ask: unknown; readonly status: Result<WorkspaceView> }>();
  useEffect(() => {
    let wanted = true;
    void ask({ op: 'status' }).then((status) => {
      if (wanted) setShown({ ask, status });
    });
    return () => {
      wanted = false;
    };
  }, [ask, time]);
  const show = useCallback(
    (view: WorkspaceView) => setShown({ ask, status: { ok: true, value: view } }),
    [ask],
  );
  return { status: shown?.ask === ask ? shown.status : null, show };
}

/** The workspace in scope and the actions on it; one action at a time. */
export function useWorkspace(): Workspace {
  const commands = useCommands();
  const hasSession = useView((view) => view.sessionId !== null);
  const project = useProject();
  const [wished, setScope] = useState<Scope>('session');
  const scope = hasSession ? wished : 'project';
  const ask = usePlacedCalls(scope);
  const [reloads, setAsked] = useState(0);
  const [busy, setBusy] = useState<WorkspaceAct['op'] | null>(null);
  const [outcome, setOutcome] = useState<(Outcome & { readonly scope: Scope }) | null>(null);
  const news = useMirror((mirror) => mirror.workspaceNews);
  const running = useCurrentSession((session) => busyTurn(session) !== undefined);
  const time = `${reloads} ${news} ${running}`;
  const { status, show } = useStatus(ask, time);
  const reload = useCallback(() => setAsked((times) => times + 1), []);

  const act = async (call: WorkspaceAct): Promise<boolean> => {
    setBusy(call.op);
    setOutcome(null);
    const answer = await ask(call);
    setBusy(null);
    if (answer.ok) show(answer.value);
    // Garbage collection changes no session, so no event reports it.
    if (!answer.ok || call.op === 'gc') reload();
    setOutcome({ scope, ...afterwards(call, answer) });
    return answer.ok;
  };
  const bind: Workspace['bind'] = async (name, how) => {
    const allowed = await (how === 'create' ? commands.createWorkspace(name) : commands.allowWorkspace(name));
    if (!allowed.ok) setOutcome({ scope, ...afterwards({ op: 'status' }, allowed) });
    if (!allowed.ok || allowed.value === null) return false;
    return act({ op: 'sync', workspace: name });
  };
  return {
    scope,
    setScope,
    hasSession,
    project,
    busy,
    reload,
    ask,
    act,
    bind,
    time,
    view: status?.ok ? status.value : null,
    problem: status && !status.ok ? status.error : null,
    outcome: outcome?.scope === scope ? outcome : null,
  };
}
