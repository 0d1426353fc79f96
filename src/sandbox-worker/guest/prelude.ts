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
import { createResultEncoder } from './script-result';
import { createScriptRunner } from './script-runner';
import { createToolsFactory } from './script-tools';
import { softenPrototypes } from './soften-prototypes';

/** Half a message: arguments and contents are quoted once more on their way out. */
const CALL_BOUNDS = { chars: MESSAGE_CHARS / 4, nodes: 1_000_000, depth: 64 };

/** The one function that cannot be written without `this`: what a setter sets is the object it was reached through. */
const OWN_SETTER = `(prototype, name) => function (value) {
  if (this === prototype) return;
  Reflect.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
}`;

/**
 * The guest's half of the bridge as source text: an expression that takes `emit` and gives `{start, settle}`. Its
 * functions are written, typed and linted here and cross as text, so each of them closes over nothing.
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
(${disableCodeGeneration.toString()})();
(${removeGlobals.toString()})(${JSON.stringify(ALLOWED_GLOBALS)});
(${softenPrototypes.toString()})(${OWN_SETTER});
(${freezeReachable.toString()})();
return (${createScriptRunner.toString()})({ emit, errors, encode, encodeResult, calls, newTools, artifacts, bounds });
})`;
