const NAMES: Readonly<Record<number, string>> = {
  2: 'BadValue',
  26: 'NamespaceNotFound',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  59: 'CommandNotFound',
  112: 'WriteConflict',
  225: 'TransactionTooOld',
  239: 'SnapshotTooOld',
  251: 'NoSuchTransaction',
  11_000: 'DuplicateKey',
};

/** The errors of a transaction after which the whole transaction may be tried again. */
const TRANSIENT = new Set([112, 251]);

/** An error that the server answers with. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }

  /** @param inTransaction whether the command belongs to a transaction. */
  body(inTransaction: boolean): Readonly<Record<string, unknown>> {
    const { code, message: errmsg } = this;
    const labels = inTransaction && TRANSIENT.has(code) ? ['TransientTransactionError'] : [];
    const codeName = NAMES[code] ?? 'UnknownError';
    return { ok: 0, code, codeName, errmsg, ...(labels.length > 0 && { errorLabels: labels }) };
  }
}

export function writeConflict(): Refusal {
  return new Refusal(112, 'another transaction changes the document, or has changed it');
}
