import type { AppError, ErrorCode, ErrorKind } from '#shared/app-error';

interface ErrorText {
  readonly title: string;
  /** What to do next if the error itself has no hint. */
  readonly next: string;
}

const words = (title: string, next: string): ErrorText => ({ title, next });

type Table = { readonly [K in ErrorKind]: Readonly<Record<ErrorCode<K>, ErrorText>> };

const table: Table = {
  TOOL: {
    NOT_FOUND: words('Not found', 'Check the name or path, then run it again.'),
    INVALID_ARGUMENTS: words('A tool was called with wrong arguments', 'Open the node to see what was sent.'),
    FAILED: words('A tool failed', 'Open the node to see what the tool said.'),
    TIMEOUT: words('A tool took too long', 'Run it again, or on a smaller folder.'),
    UNAVAILABLE: words('A tool server is not running', 'Run it again; the server is started anew.'),
    INVALID_OUTPUT: words('A tool gave an unreadable result', 'Open the node to see what came back.'),
  },
  CODE: {
    SYNTAX_ERROR: words('A script is not valid JavaScript', 'Open the node to see the line.'),
    FORBIDDEN: words('A script used something it may not', 'Open the node to see the line.'),
    UNKNOWN_TOOL: words('A script named a tool that does not exist', 'Open the node to see its tools.'),
    RUNTIME_ERROR: words('A script failed', 'Open the node to see the line and its log.'),
    INVALID_RESULT: words('A script returned something unusable', 'Open the node to see its result.'),
    INVALID_PLAN: words('The plan does not hold together', 'Say the goal in other words and send it again.'),
  },
  POLICY: {
    CAPABILITY_DENIED: words('Not allowed here', 'The project’s capabilities file says what is allowed.'),
    APPROVAL_DENIED: words('You said no', 'Nothing was written. Run it again to be asked again.'),
    APPROVAL_EXPIRED: words('The question was not answered in time', 'Nothing was written. Run it again.'),
    RATE_LIMITED: words('Too many calls in a short time', 'Wait a moment, then run it again.'),
    ROLE_REQUIRED: words(
      'This needs another role',
      'Add the role to “roles” in ui_settings.json, then try again.',
    ),
    TOOL_CHANGED: words('A tool has changed since it was allowed', 'Review the tool, then run it again.'),
  },
  BUDGET: {
    CPU_LIMIT: words('A script computed for too long', 'Narrow the goal, or raise the CPU budget.'),
    OPS_LIMIT: words('A script did too much', 'Narrow the goal, or raise the budget.'),
    MEMORY_LIMIT: words('A script ran out of memory', 'Narrow the goal, or raise the memory budget.'),
    STACK_LIMIT: words('A script called itself too deeply', 'Open the node to see the script.'),
    OUTPUT_LIMIT: words('A result was too large', 'Ask for a summary or a smaller part.'),
    TOKEN_LIMIT: words('The token budget is used up', 'Raise the budget, or narrow the goal.'),
    WALL_CLOCK: words('The time for this run is over', 'Raise the time budget, or narrow the goal.'),
    TOOL_CALLS: words('Too many tool calls', 'Raise the budget, or narrow the goal.'),
    NODE_LIMIT: words('The plan has too many nodes', 'Narrow the goal.'),
  },
  SANDBOX: {
    PROC_CRASH: words('The sandbox ended unexpectedly', 'It has been replaced. Run it again.'),
    PROTOCOL_VIOLATION: words('The sandbox misbehaved and was ended', 'It has been replaced. Run it again.'),
    START_FAILED: words('The sandbox did not start', 'Run it again; if it stays, restart Patina.'),
    UNSUPPORTED: words('This sandbox cannot run the script', 'Check which sandbox engine is set.'),
  },
  LLM: {
    UNAVAILABLE: words(
      'The model cannot be reached',
      'Check the connection and the provider’s address, then retry.',
    ),
    AUTH: words('The key was not accepted', 'Check the provider’s key in the settings, then retry.'),
    RATE_LIMITED: words('The provider asks to slow down', 'Wait until it is ready again, then retry.'),
    CONTEXT_LIMIT: words(
      'The conversation is too long for this model',
      'Start a new session or pick another model.',
    ),
    INVALID_REPLY: words('The model’s reply could not be read', 'Retry, or pick another model.'),
  },
  CONFIG: {
    INVALID: words('A configuration file is not valid', 'Mend the file, then try again.'),
    MISSING: words('Something is not configured', 'Complete the settings, then try again.'),
  },
  HOST: {
    NOT_FOUND: words('Not there any more', 'Reload and try again.'),
    INVALID_INPUT: words('That input cannot be used', 'Change it and send it again.'),
    STATE: words('Not possible right now', 'Try again in a moment.'),
    STORAGE: words('It could not be saved', 'Check the free space and permissions of the disk.'),
    CANCELLED: words('Cancelled', 'Run it again when you like.'),
  },
};

/** A failure in plain words: what happened, and what to do next (the error's own hint first). */
export function wordsOf(error: AppError): ErrorText {
  const entry = (table[error.kind] as Readonly<Record<string, ErrorText>>)[error.code];
  const title = entry?.title ?? 'Something went wrong';
  return { title, next: error.hint ?? entry?.next ?? 'Try again.' };
}
