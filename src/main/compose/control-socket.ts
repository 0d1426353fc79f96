import type { SessionLog } from '../../core/session/session-log';
import { canWrite } from '../adapters/system/home-folder';
import { createControlSocket } from '../adapters/control/control-socket';
import { processAlive } from '../adapters/system/process-alive';
import { holderName, type ProcessHost } from '../adapters/process-host';
import type { Notices } from '../notices/notices';
import type { ControlSocket } from '../../core/ports/control-socket';
import { serveControlRequests } from '../../core/workspace/serve-control-requests';
import type { WorkspaceController } from '../../core/workspace/workspace-controller';

/** This process's connection to the user's other processes. */
export interface ControlSocketParts {
  /**
   * Serves requests from other processes until this process ends. A process that runs a single command does
   * not need it.
   */
  readonly serve: () => Promise<void>;
  readonly ask: ControlSocket['ask'];
  readonly close: () => Promise<void>;
}

export interface ControlSocketSideDeps {
  readonly host: Pick<ProcessHost, 'home' | 'kind'>;
  readonly log: SessionLog;
  readonly workspace: WorkspaceController;
  readonly notices: Notices;
}

/** Builds the parts; nothing listens before `serve`. */
export function composeControlSocket(deps: ControlSocketSideDeps): ControlSocketParts {
  const { host, log, workspace, notices } = deps;
  const socket = createControlSocket({ home: host.home, holder: holderName(host), processAlive });
  let stop: () => Promise<void> = () => Promise.resolve();
  return {
    async serve() {
      const served = await socket.serve(serveControlRequests(log, workspace));
      if (served.ok) stop = served.value;
      // A read-only home folder is reported separately.
      else if (canWrite(host.home)) {
        const { message, hint } = served.error;
        const title = 'Other programs cannot reach this Patina';
        notices.raise({
          id: 'control-socket',
          level: 'warning',
          title,
          detail: message,
          ...(hint && { hint }),
        });
      }
    },
    ask: socket.ask,
    close: () => stop(),
  };
}
