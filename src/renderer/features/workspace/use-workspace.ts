import type { AppError } from '#shared/app-error';
import type { Result } from '#shared/result';
import type { WorkspaceCall, WorkspaceView } from '#shared/workspace-call';
import { useCallback, useEffect, useState } from 'react';
import { useCommands, useCurrentSession, useMirror, useProject, useView } from '../../store/app-context';
import { busyTurn } from '../../store/session-view';
import { afterwards, type Outcome } from './workspace-labels';

/** Whose workspace is looked at: the session's on the screen, or what new sessions begin with. */
export type Scope = 'session' | 'project';

type Unplaced<T> = T extends unknown ? Omit<T, 'sessionId' | 'project'> : never;
/** A call of the workspace in scope. */
export type WorkspaceAct = Unplaced<WorkspaceCall>;

export interface Workspace {
  readonly scope: Scope;
  readonly setScope: (scope: Scope) => void;
  readonly hasSession: boolean;
  readonly project: string | null;
  /** The workspace as main has it; nothing until it is read. */
  readonly view: WorkspaceView | null;
  /** Why it could not be read. */
  readonly problem: AppError | null;
  readonly busy: WorkspaceAct['op'] | null;
  /** What came of the last thing that was done. */
  readonly outcome: Outcome | null;
  readonly reload: () => void;
  /** Asks without changing anything here. */
  readonly ask: (act: WorkspaceAct) => Promise<Result<WorkspaceView>>;
  /** Has something done, and says what came of it; whether it was. */
  readonly act: (act: WorkspaceAct) => Promise<boolean>;
  /** Lets a folder be synced under a name and syncs it; with `create` a workspace is written into it first. */
  readonly bind: (name: string, how: 'bind' | 'create') => Promise<boolean>;
  /** Grows whenever what was asked before may no longer hold. */
  readonly time: string;
}

/** Calls placed in a scope. */
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

/** What is shown, asked for again when it may have changed. */
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

/** The workspace in scope, and what can be done with it; one thing at a time. */
export function useWorkspace(): Workspace {
  const commands = useCommands();
  const hasSession = useView((view) => view.sessionId !== null);
  const project = useProject();
  const [wished, setScope] = useState<Scope>('session');
  const scope = hasSession ? wished : 'project';
  const ask = usePlacedCalls(scope);
  const [asked, setAsked] = useState(0);
  const [busy, setBusy] = useState<WorkspaceAct['op'] | null>(null);
  const [outcome, setOutcome] = useState<(Outcome & { readonly scope: Scope }) | null>(null);
  const news = useMirror((mirror) => mirror.workspaceNews);
  const running = useCurrentSession((session) => busyTurn(session) !== undefined);
  const time = `${asked} ${news} ${running}`;
  const { status, show } = useStatus(ask, time);
  const reload = useCallback(() => setAsked((times) => times + 1), []);

  const act = async (call: WorkspaceAct): Promise<boolean> => {
    setBusy(call.op);
    setOutcome(null);
    const answer = await ask(call);
    setBusy(null);
    if (answer.ok) show(answer.value);
    // What is collected changes no session, so no event says that it is gone.
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
