import { forPeople } from '../command-line/for-people.js';
import { printable } from '../command-line/printable.js';
import type { Program } from '../command-line/program.js';
import { progressBar } from '../command-line/progress-bar.js';
import { isSound, LogVerification, type LogVerified } from '../event-log/log-verification.js';

const BAR_EVERY_MS = 500;

interface Form {
  readonly json?: true;
}

/** Adds the commands `keyledger log …`. */
export function addLogCommands(program: Program): void {
  const log = program.group('log', 'The event log.');
  program.command<Form, LogVerified & Record<string, unknown>>(
    log,
    'verify',
    'Compare every event with its hash, and look for damage of the file. Changes nothing.',
    [],
    async (session, { json }) => {
      const verification = session.get(LogVerification);
      const bar = json ? undefined : progressBar('verifying the log');
      let shownAt = performance.now();
      try {
        const verified = await verification.verify((events, reached) => {
          if (!bar || performance.now() - shownAt < BAR_EVERY_MS) return;
          shownAt = performance.now();
          verification.shareUpTo(reached).then(
            (share) => bar.update(share, events),
            () => undefined,
          );
        });
        return { ...verified };
      } finally {
        bar?.end();
      }
    },
    {
      people: ({ first_mismatch: first, damage, ...counts }) =>
        forPeople({ ...counts, damage: damage.length }) +
        damage.map((line) => `${printable(line)}\n`).join('') +
        (first ? `\nthe first that does not match:\n${forPeople({ ...first })}` : ''),
      failed: (verified) => !isSound(verified),
      purpose: 'examines',
    },
  );
}
