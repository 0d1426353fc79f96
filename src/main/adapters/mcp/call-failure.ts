import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { appError, type AppError } from '#shared/app-error';
import { recognise, shortMessage } from './tool-result';

export interface CallSpot {
  readonly server: string;
  /** `mcp://server.tool`, or the step (`initialize`, `tools/list`) that failed. */
  readonly tool: string;
  /** What became of the server meanwhile, if it is over. */
  readonly end: string | null;
  readonly cancelled: boolean;
}

/** What the client threw, as one of our errors. Every exception of a call passes here: the client's API rejects instead of returning. */
export function callFailure(error: unknown, spot: CallSpot): AppError {
  const { server, tool } = spot;
  if (spot.cancelled) return appError('HOST', 'CANCELLED', 'The call was cancelled.', { tool });
  if (spot.end !== null) {
    return appError('TOOL', 'UNAVAILABLE', `Server "${server}" ${spot.end}.`, { tool, retryable: true });
  }
  if (error instanceof ProtocolError) {
    return appError('TOOL', recognise(`${error.code} ${error.message}`), shortMessage(error.message), {
      tool,
    });
  }
  if (error instanceof SdkError) return sdkFailure(error, spot);
  const message = error instanceof Error ? error.message : String(error);
  return appError('TOOL', 'UNAVAILABLE', `Server "${server}": ${shortMessage(message)}`, {
    tool,
    retryable: true,
  });
}

function sdkFailure(error: SdkError, { server, tool }: CallSpot): AppError {
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return appError('TOOL', 'TIMEOUT', `Server "${server}" did not answer ${tool} in time.`, {
        tool,
        retryable: true,
      });
    case SdkErrorCode.InvalidResult:
    case SdkErrorCode.UnsupportedResultType:
    case SdkErrorCode.InputRequiredRoundsExceeded:
      return appError('TOOL', 'INVALID_OUTPUT', `Server "${server}": ${shortMessage(error.message)}`, {
        tool,
      });
    default:
      return appError('TOOL', 'UNAVAILABLE', `Server "${server}": ${shortMessage(error.message)}`, {
        tool,
        retryable: true,
      });
  }
}
