import type { ArgumentSources, TaintSource } from '#shared/approval';
import { projectFiles, sameFlow, type DataFlow } from '#shared/data-flow';
import type { Json, JsonObject } from '#shared/json';
import type { ApprovalAnswer } from './approvals';
import { createContentIndex, type ContentIndex, type ContentSize } from './content-index';
import type { ToolDefinition } from '../ports/tool-definition';

/**
 * What the tools of a run have returned, by party, and the flows between parties that the user decided on.
 */
export interface DataFlows {
  /** Remembers what a tool returned. */
  readonly onRead: (tool: string, value: Json) => void;
  /** Remembers content that has several sources, such as the reply of a model that read them. */
  readonly onDerived: (sources: readonly TaintSource[], value: Json) => void;
  /** The flows that a call would make and that no rule and no answer of the user allows. */
  readonly undecided: (call: FlowingCall, nodeReads: NodeReads) => readonly DataFlow[];
  /** The arguments that repeat results of tools. */
  readonly sourcesOf: (args: JsonObject) => readonly ArgumentSources[];
  /** Remembers that the user allowed flows together with a write. */
  readonly allow: (flows: readonly DataFlow[]) => void;
  /**
   * Asks about a read's flows, once for each: calls with the same flows share the answer, unless it is a no that says
   * what to do instead. Returns what was
   * asked only to the call that asked, because only its arguments were shown. `suspend` is called while a
   * call waits for another's answer.
   */
  readonly decide: <A extends Answered>(
    flows: readonly DataFlow[],
    ask: () => Promise<A>,
    suspend: () => () => void,
  ) => Promise<{ readonly result?: A; readonly answer: ApprovalAnswer }>;
}

interface Answered {
  readonly answer: ApprovalAnswer;
}

/** A call to a server's tool. */
export interface FlowingCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** What may have entered a node. */
export interface NodeReads {
  /** All sources of the node's data. */
  readonly origins: readonly TaintSource[];
  /** The sources that the planner had seen when it wrote the node: they may have shaped its code. */
  readonly shown: readonly TaintSource[];
}

export interface DataFlowsDeps {
  /** The server tools of the run by name. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** Flows that a project rule or an earlier answer of the session allows; `*` stands for any party. */
  readonly allowed: readonly DataFlow[];
  /** An earlier process read content for this run, so not all of it can be compared. */
  readonly resumed: boolean;
}

const maxSources = 5;

const serverIn = (uri: string): string => /^mcp:\/\/([^./]+)\./.exec(uri)?.[1] ?? uri;

/** The party of a tool by its name; all bundled servers are one. */
export function partyOf(tool: string, tools: DataFlowsDeps['tools']): string {
  const server = serverIn(tool);
  const known = tools.get(tool) ?? [...tools.values()].find((one) => one.server === server);
  return known?.bundled === undefined ? server : projectFiles;
}

const covers = (rule: DataFlow, flow: DataFlow): boolean =>
  (rule.from === '*' || rule.from === flow.from) && (rule.to === '*' || rule.to === flow.to);

const asksAgainAfter = (answer: ApprovalAnswer): boolean =>
  answer.type === 'withdrawn' || (answer.type === 'denied' && answer.instead !== undefined);

export function createDataFlows({ tools, allowed, resumed }: DataFlowsDeps): DataFlows {
  const content = new Map<string, ContentIndex>();
  /** The tools of a party share one limit, so that a server with many tools cannot fill the memory. */
  const sizes = new Map<string, ContentSize>();
  const answered: DataFlow[] = [];
  const questions = new Map<string, Promise<Answered>>();
  const parties = new Map<string, string>();

  const party = (tool: string): string => {
    const known = parties.get(tool) ?? partyOf(tool, tools);
    parties.set(tool, known);
    return known;
  };
  const note = (tool: string, value: Json): void => {
    const size = sizes.get(party(tool)) ?? { length: 0 };
    sizes.set(party(tool), size);
    const index = content.get(tool) ?? createContentIndex(size);
    content.set(tool, index);
    index.add(value);
  };
  const isAllowed = (flow: DataFlow): boolean =>
    allowed.some((rule) => covers(rule, flow)) || answered.some((one) => sameFlow(one, flow));
  /** Content of this party that was not read here cannot be compared, so it counts as contained. */
  const contains = (from: string, args: JsonObject): boolean => {
    const read = [...content].filter(([tool]) => party(tool) === from);
    return resumed || read.length === 0 || read.some(([, index]) => index.sharesWith(args));
  };

  return {
    onRead: note,
    onDerived: (sources, value) => {
      for (const source of new Set(sources.map((one) => one.source))) note(source, value);
    },
    sourcesOf: (args) =>
      Object.entries(args).flatMap(([argument, value]) => {
        const read = [...content].filter(([, index]) => index.givesValueOf(value));
        return read.length === 0
          ? []
          : [{ argument, tools: read.map(([tool]) => tool).slice(0, maxSources) }];
      }),
    undecided: ({ tool, arguments: args }, { origins, shown }) => {
      const to = party(tool);
      const seen = new Set(shown.map(({ source }) => party(source)));
      const sources = [...new Set([...seen, ...origins.map(({ source }) => party(source))])];
      return sources
        .map((from) => ({ from, to }))
        .filter((flow) => flow.from !== to && !isAllowed(flow))
        .filter(({ from }) => seen.has(from) || contains(from, args));
    },
    allow: (flows) => void answered.push(...flows),
    async decide(flows, ask, suspend) {
      const key = JSON.stringify(flows);
      const open = questions.get(key);
      if (open) {
        const resume = suspend();
        const { answer } = await open;
        resume();
        return { answer };
      }
      const question = ask();
      questions.set(key, question);
      const decided = await question;
      if (decided.answer.type === 'approved') answered.push(...flows);
      // A withdrawn question was not answered, and words with a no belong to the one call that was shown.
      if (asksAgainAfter(decided.answer)) questions.delete(key);
      return { result: decided, answer: decided.answer };
    },
  };
}
