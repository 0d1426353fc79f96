import { MESSAGE_CHARS } from '#shared/sandbox-protocol';
import { ALLOWED_GLOBALS } from './allowed-globals';
import { createBoundedJson } from './bounded-json';
import { disableCodeGeneration } from './disable-code-generation';
import { createGuestErrors } from './guest-errors';
import { freezeReachable } from './freeze-reachable';
import { createHostCalls } from './host-calls';
import { createJsonMeters } from './json-meter';
import { removeGlobals } from './remove-globals';
import { createScriptArtifacts } from './script-artifacts';
import { createScriptFormat } from './script-format';
import { createResultEncoder } from './script-result';
import { createScriptRunner } from './script-runner';
import { createToolsFactory } from './script-tools';
import { softenPrototypes } from './soften-prototypes';

/** At most half a message: arguments and contents are quoted again when sent. */
const CALL_BOUNDS = { chars: MESSAGE_CHARS / 4, nodes: 1_000_000, depth: 64 };

/**
 * The only function that needs `this`: a setter must set the property of the object it was reached through.
 */
const OWN_SETTER = `(prototype, name) => function (value) {
  if (this === prototype) return;
  Reflect.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
}`;

/**
 * The guest's half of the bridge as source text: an expression that takes `emit` and returns `{start,
 * settle}`. Its functions are written, typed and linted here and transferred as text, so none of them closes
 * over anything.
 */
export const GUEST_PRELUDE = `(function (emit) {
'use strict';
const bounds = ${JSON.stringify(CALL_BOUNDS)};
const errors = (${createGuestErrors.toString()})();
const encode = (${createBoundedJson.toString()})((${createJsonMeters.toString()})(errors));
const calls = (${createHostCalls.toString()})(emit, errors);
const newTools = (${createToolsFactory.toString()})(errors);
const artifacts = (${createScriptArtifacts.toString()})({ calls, encode, errors, bounds });
const encodeResult = (${createResultEncoder.toString()})(errors, encode);
globalThis.fmt = (${createScriptFormat.toString()})();
(${disableCodeGeneration.toString()})();
(${removeGlobals.toString()})(${JSON.stringify(ALLOWED_GLOBALS)});
(${softenPrototypes.toString()})(${OWN_SETTER});
(${freezeReachable.toString()})();
return (${createScriptRunner.toString()})({ emit, errors, encode, encodeResult, calls, newTools, artifacts, bounds });
})`;
