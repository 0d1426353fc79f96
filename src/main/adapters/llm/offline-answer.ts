import type { ProviderModels } from '#shared/model';
import type { RecipeSummary } from '#shared/recipe';
import type { OfflineFacts } from './offline-facts';

export interface OfflineQuestion {
  readonly text: string;
  readonly matched: readonly RecipeSummary[];
  readonly facts: OfflineFacts;
  readonly others: readonly ProviderModels[];
}

const greeting = /^(hi|hello|hey|good (morning|afternoon|evening)|hallo|servus)( there| patina)?$/;
const aboutPatina =
  /^(help|help me|what can (you|i|patina) do( here)?|what (are|is) (you|patina|this)|who are you|how (does|do) (this|patina|you) work|what (recipes|commands) (are there|do you have)|(show|list)( me)?( the)? recipes|what now|get(ting)? started|how do i start)$/;
const modelNoun = /\b(models?|llms?|providers?|ollama|lm ?studio|openai|api ?keys?|gpt|claude|llama)\b/;
const connecting =
  /\b(connect|configure|add|set ?up|use|install|choose|pick|select|change|switch|enter|need|start|run|where|key|no)\b/;

/**
 * Answers questions that need no model: what Patina does, how to connect a model, which recipes match.
 * Answers anything else with a plain "no model is connected". Deterministic. Short markdown.
 */
export function offlineAnswer(question: OfflineQuestion): string {
  const text = plainWords(question.text);
  if (question.matched.length > 0) return recipeAnswer(question);
  if (greeting.test(text) || aboutPatina.test(text)) return aboutAnswer(question);
  if (text.length <= 120 && modelNoun.test(text) && connecting.test(text)) return connectAnswer(question);
  return unknownAnswer(question);
}

/** Lower case, single spaces, no polite phrases at either end, no final punctuation. */
function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}'-]+/gu, ' ')
    .trim()
    .replace(/^please /, '')
    .replace(/( please| thanks| thank you)$/, '');
}

const noModel = 'No model is connected';

function aboutAnswer(question: OfflineQuestion): string {
  return paragraphs(
    `Hello. ${noModel}: this is Patina's built-in text, not a model's. Patina is a chat for developers with two ways to work:`,
    '- **Ask**: you write, a model answers.\n- **Agent Mode**: a plan you can read runs step by step in a sandbox, with tools you allow.',
    recipeList(question.facts, 'Without a model, Agent Mode can already run these:'),
    `To chat, connect a model: ${whereToClick(question)}`,
  );
}

function connectAnswer(question: OfflineQuestion): string {
  return paragraphs(
    `${noModel} yet. Any of these will do:`,
    [
      '1. **On this computer**: start [Ollama](https://ollama.com) (`ollama run llama3.2`) or the server of [LM Studio](https://lmstudio.ai). Patina finds them at `127.0.0.1:11434` and `127.0.0.1:1234`: open the model picker beside the message box, refresh, choose the model.',
      '2. **A provider with a key**: open **Settings → Models → Add provider**, give its OpenAI-compatible base URL (it often ends in `/v1`) and the key, test it, save. Then choose one of its models in the model picker.',
      '3. **For scripts**: set `OPENAI_BASE_URL`, `OPENAI_API_KEY` and `PATINA_MODEL` before starting Patina.',
    ].join('\n'),
    found(question.others),
  );
}

function recipeAnswer(question: OfflineQuestion): string {
  const { matched, facts } = question;
  const rows = matched.map(({ title, description }) =>
    description === undefined ? `- **${title}**` : `- **${title}**: ${description}`,
  );
  const one = matched.length === 1 ? 'This recipe does' : 'These recipes do';
  const next = facts.agentMode.enabled
    ? 'Switch to **Agent Mode** (beside the model picker, or `Ctrl/Cmd+.`) and send it again: it runs on your project folder.'
    : `Agent Mode, which runs them, is off${facts.agentMode.reason === undefined ? '' : `: ${facts.agentMode.reason}`}.`;
  return paragraphs(`${noModel}, and none is needed for this. ${one} it:`, rows.join('\n'), next);
}

function unknownAnswer(question: OfflineQuestion): string {
  return paragraphs(
    `${noModel}, so I cannot answer that. I am Patina's built-in text and know only about Patina itself.`,
    `To get an answer, connect a model: ${whereToClick(question)}`,
    recipeList(question.facts, 'What works without one, in Agent Mode:'),
  );
}

function whereToClick({ others }: OfflineQuestion): string {
  return (
    found(others) ||
    'start Ollama or LM Studio on this computer and choose its model in the model picker, or add any OpenAI-compatible provider in **Settings → Models**. Ask "how do I connect a model?" for each step.'
  );
}

/** Names the available providers that have models, or ''. */
function found(others: readonly ProviderModels[]): string {
  const ready = others.filter(({ source, models }) => source !== 'offline' && models.length > 0);
  if (ready.length === 0) return '';
  const names = ready.map(({ name, models }) => `**${name}** (${models.slice(0, 3).join(', ')})`);
  return `${names.join(' and ')} can answer now: choose one in the model picker beside the message box.`;
}

function recipeList({ recipes, agentMode }: OfflineFacts, heading: string): string {
  if (!agentMode.enabled || recipes.length === 0) return '';
  const rows = recipes.map(({ title, example }) =>
    example === undefined ? `- ${title}` : `- ${title}: "${example}"`,
  );
  return `${heading}\n\n${rows.join('\n')}`;
}

function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
