import { useCurrentSession, useMirror } from '../../store/app-context';
import { chooseModel, contextTokensOf } from '../../store/choose-model';
import { conversationTokens } from '../../store/session-view';
import { Tooltip } from '../../ui/tooltip';
import { ContextRing } from './context-ring';

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** How far the conversation has grown: of the model's context where the server tells its size, else in tokens. */
export function TokenCount() {
  const tokens = useCurrentSession(conversationTokens);
  const fits = useMirror(({ settings, models }) =>
    contextTokensOf(chooseModel(settings.model, models), models),
  );
  if (tokens < 100) return null;
  const about = `about ${tokens.toLocaleString('en-US')} tokens`;
  if (fits !== undefined) return <ContextRing share={tokens / fits} about={about} fits={fits} />;
  return (
    <Tooltip side="top" text={`This conversation is ${about} long`}>
      <span className="numbers px-1 text-xs whitespace-nowrap text-muted max-narrow:hidden">
        ≈ {compact.format(tokens)} tokens
      </span>
    </Tooltip>
  );
}
