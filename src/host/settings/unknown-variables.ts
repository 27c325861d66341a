/**
 * Matches the variables that Kubernetes and Docker set for a service whose name begins with keyledger:
 * `KEYLEDGER_SERVICE_HOST`, `KEYLEDGER_SERVICE_PORT_HTTP`, `KEYLEDGER_PORT_3000_TCP_ADDR`, `KEYLEDGER_PORT=tcp://…`.
 */
const OF_A_SERVICE =
  /^KEYLEDGER_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)=|^KEYLEDGER_(\w+_)?PORT=(tcp|udp|sctp):/;

/** Returns a message for each `KEYLEDGER_` variable, because no setting has this prefix. Skips `OF_A_SERVICE`. */
export function unknownVariables(
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('KEYLEDGER_'))
    .filter((name) => !OF_A_SERVICE.test(`${name}=${environment[name] ?? ''}`))
    .map((name) => `${name}: got a value that is not shown; there is no such setting`);
}
