import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { callFailure, mayHaveExecuted, unreadableAnswer, type CallSpot } from './call-failure';

const spot: CallSpot = { server: 'notes', tool: 'mcp://notes.add', end: null, cancelled: false };

const httpError = (
  status: number,
  message = 'No.',
  code = SdkErrorCode.ClientHttpNotImplemented,
): SdkHttpError => new SdkHttpError(code, message, { status });
const busy = (message = ''): Error => Object.assign(new Error(message), { status: 429, retryAfterMs: 1_200 });
const caused = (message: string, cause: unknown): Error => new Error(message, { cause });
const systemError = (code: string): Error => Object.assign(new Error(code), { code });
const protocolError = (code: number, message: string): ProtocolError => new ProtocolError(code, message);
const unreadable = protocolError(unreadableAnswer.code, unreadableAnswer.message);

describe('a failed call', () => {
  it.each<[string, unknown, { kind?: string; code: string; retryable?: boolean; message: RegExp }]>([
    [
      'that timed out',
      new SdkError(SdkErrorCode.RequestTimeout, 'late'),
      { code: 'TIMEOUT', retryable: true, message: /did not answer mcp:\/\/notes\.add in time/ },
    ],
    [
      'whose server refuses its arguments',
      protocolError(-32602, 'Invalid params'),
      { code: 'INVALID_ARGUMENTS', retryable: false, message: /^Invalid params$/ },
    ],
    [
      'whose tool is gone',
      protocolError(-32602, 'Invalid params: tool add not found'),
      { code: 'NOT_FOUND', message: /not found/ },
    ],
    [
      'whose server has an error',
      protocolError(-32603, 'Oops'),
      { code: 'FAILED', retryable: false, message: /^Oops$/ },
    ],
    [
      'whose answer is no message',
      unreadable,
      { code: 'INVALID_OUTPUT', message: /but not with an MCP message/ },
    ],
    [
      'whose result has no known form',
      new SdkError(SdkErrorCode.UnsupportedResultType, 'odd'),
      { code: 'INVALID_OUTPUT', message: /odd/ },
    ],
    [
      'whose connection is closed',
      new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'),
      { code: 'UNAVAILABLE', retryable: true, message: /Connection closed/ },
    ],
    [
      'with an HTTP error',
      httpError(502, 'Error POSTing to endpoint: Bad gateway'),
      { code: 'UNAVAILABLE', retryable: true, message: /: HTTP 502: Bad gateway$/ },
    ],
    [
      'that is denied',
      httpError(403),
      { code: 'UNAVAILABLE', retryable: false, message: /denied access \(403\)/ },
    ],
    [
      'that needs a key',
      httpError(401),
      { code: 'UNAVAILABLE', retryable: false, message: /denied access \(401\)/ },
    ],
    [
      'that needs a sign-in',
      new UnauthorizedError(),
      { code: 'SIGN_IN', retryable: false, message: /asks for a sign-in \(401\)/ },
    ],
    [
      'that needs another sign-in',
      httpError(401, 'No.', SdkErrorCode.ClientHttpAuthentication),
      { code: 'SIGN_IN', message: /asks for a sign-in/ },
    ],
    [
      'that needs more permissions',
      new InsufficientScopeError({ requiredScope: 'write' }),
      { code: 'SIGN_IN', message: /more permissions \(write\)/ },
    ],
    [
      'that needs unnamed permissions',
      new InsufficientScopeError({}),
      { code: 'SIGN_IN', message: /asks for more permissions\.$/ },
    ],
    [
      'whose server is busy',
      busy('Wait.'),
      { code: 'UNAVAILABLE', retryable: true, message: /too busy \(HTTP 429\): Wait\.$/ },
    ],
    [
      'whose server is busy and says nothing',
      caused('outer', busy()),
      { code: 'UNAVAILABLE', message: /too busy \(HTTP 429\)$/ },
    ],
    [
      'with any other error',
      new Error('socket hang up'),
      { code: 'UNAVAILABLE', retryable: true, message: /^Server "notes": socket hang up$/ },
    ],
    ['with something that is no error', 'text', { code: 'UNAVAILABLE', message: /: text$/ }],
  ])('%s', (_name, error, { code, retryable, message }) => {
    const failure = callFailure(error, spot);
    expect(failure).toMatchObject({ kind: 'TOOL', code, tool: 'mcp://notes.add' });
    expect(failure.message).toMatch(message);
    if (retryable !== undefined) expect(failure.retryable).toBe(retryable);
  });

  it('that the user cancelled is cancelled, whatever happened meanwhile', () => {
    const cancelled = callFailure(busy(), { ...spot, cancelled: true, end: 'stopped' });
    expect(cancelled).toMatchObject({ kind: 'HOST', code: 'CANCELLED', retryable: false });
  });

  it('of a server that ended names how it ended, whatever the client reports', () => {
    const ended = callFailure(new UnauthorizedError(), { ...spot, end: 'ended with code 3' });
    expect(ended).toMatchObject({ code: 'UNAVAILABLE', retryable: true });
    expect(ended.message).toBe('Server "notes" ended with code 3.');
  });

  it('of a busy server says when to retry, in whole seconds rounded up', () => {
    expect(callFailure(busy(), spot)).toMatchObject({
      retryAfterMs: 1_200,
      hint: 'Retry in 2 s, as it asks.',
    });
  });

  it.each([
    ['mcp://notes.add', '"timeoutMs" or "maxTimeoutMs"'],
    ['initialize', '"startTimeoutMs"'],
  ])('that timed out in %s names the setting to change', (tool, fields) => {
    const late = new SdkError(SdkErrorCode.RequestTimeout, 'late');
    expect(callFailure(late, { ...spot, tool }).hint).toContain(`Set ${fields} of "notes"`);
  });

  it('names at most three wrong fields of a result, in words', () => {
    const issues = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
      path: ['content', 0, name],
      message: 'is missing',
    }));
    const failure = (list: unknown) =>
      callFailure(new SdkError(SdkErrorCode.InvalidResult, `Invalid result: ${JSON.stringify(list)}`), spot)
        .message;
    expect(failure(issues)).toBe(
      'Server "notes": Invalid result: content.0.a: is missing; content.0.b: is missing; content.0.c: is missing; and 2 more.',
    );
    expect(failure(issues.slice(0, 1))).toBe('Server "notes": Invalid result: content.0.a: is missing.');
    expect(failure([{}])).toBe('Server "notes": Invalid result: : is not right.');
  });

  it('shows a report that is no JSON as it is', () => {
    const failure = callFailure(new SdkError(SdkErrorCode.InvalidResult, 'Expected [object'), spot);
    expect(failure.message).toBe('Server "notes": Expected [object');
  });

  it("removes control characters from a server's words, and shortens them", () => {
    const hostile = callFailure(
      protocolError(-32000, `a\u001b[31mred\u0007${'x'.repeat(50_000)}`),
      spot,
    ).message;
    expect(hostile).not.toMatch(/\p{Cc}/u);
    expect(hostile.length).toBeLessThan(10_000);
    expect(hostile.endsWith('…')).toBe(true);
  });
});

describe('whether a failed call may have been executed', () => {
  it.each<[string, unknown, boolean]>([
    ['the server answered with an error', protocolError(-32603, 'Oops'), false],
    ['the server answered something unreadable', unreadable, true],
    ['the request was refused', httpError(400), false],
    ['the server did not know the session', httpError(404), false],
    ['the request timed out at the server', httpError(408), true],
    ['the server is busy', busy(), false],
    ['the server failed', httpError(500), true],
    ['a gateway failed', httpError(504), true],
    ['it needs a sign-in', new UnauthorizedError(), false],
    ['it needs more permissions', new InsufficientScopeError({}), false],
    ['there was no connection', new SdkError(SdkErrorCode.NotConnected, 'Not connected'), false],
    ['the transport had no connection', new Error('Not connected'), false],
    ['the answer did not come in time', new SdkError(SdkErrorCode.RequestTimeout, 'late'), true],
    ['the connection closed', new SdkError(SdkErrorCode.ConnectionClosed, 'closed'), true],
    ['the port refused the connection', caused('fetch failed', systemError('ECONNREFUSED')), false],
    ['the name is unknown', caused('a', caused('b', systemError('ENOTFOUND'))), false],
    [
      'the certificate is not trusted',
      caused('fetch failed', systemError('DEPTH_ZERO_SELF_SIGNED_CERT')),
      false,
    ],
    ['the connection was reset', caused('fetch failed', systemError('ECONNRESET')), true],
    ['the pipe broke', systemError('EPIPE'), true],
    ['the answer did not begin', systemError('UND_ERR_HEADERS_TIMEOUT'), true],
    ['something else was thrown', 'text', true],
  ])('%s', (_name, error, expected) => {
    expect(mayHaveExecuted(error)).toBe(expected);
  });

  it.each<[string, readonly Error[], boolean]>([
    ['all refused', [systemError('ECONNREFUSED'), systemError('ENETUNREACH')], false],
    ['one was reset', [systemError('ECONNREFUSED'), systemError('ECONNRESET')], true],
    ['none is named', [], true],
  ])('of several addresses: %s', (_name, errors, expected) => {
    expect(mayHaveExecuted(caused('fetch failed', new AggregateError(errors)))).toBe(expected);
  });
});
