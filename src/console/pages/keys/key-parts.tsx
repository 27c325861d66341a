import { useState } from 'preact/hooks';
import { usdText } from '../../parts/money.js';
import { type Key, stateOf } from './key-state.js';

export function KeyState({ of: key }: { of: Key }) {
  const [now] = useState(Date.now);
  const state = stateOf(key, now);
  return <span class={`state ${state}`}>{state}</span>;
}

/** The rest of a limit or a budget, with a meter of the part that is spent. */
export function Limit(props: { of: Pick<Key, 'limit' | 'limit_remaining' | 'limit_reset'> }) {
  const { limit, limit_remaining: remaining, limit_reset: reset } = props.of;
  if (limit === null) return <span class="none">no limit</span>;
  // A verification has no rest where it does not matter and the usage could not be read at once.
  if (remaining === null) return <>{usdText(limit)}</>;
  const spent = limit > 0 ? (limit - remaining) / limit : 1;
  return (
    <span class="limit">
      {reset !== null && <span class="none">{reset} </span>}
      {usdText(remaining)} of {usdText(limit)} left
      <meter
        value={spent}
        high={0.8}
        optimum={0}
        aria-label={`${Math.round(spent * 100)} % of the limit is spent`}
      />
    </span>
  );
}
