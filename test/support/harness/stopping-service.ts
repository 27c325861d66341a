import { eventually } from './eventually.js';
import { openRawConnection, type RawConnection } from './raw-connection.js';
import type { ServiceProcess } from './service-process.js';

/** Sends a signal. Resolves when the service has logged it. */
export function signalStop(service: ServiceProcess, signal: NodeJS.Signals): Promise<boolean> {
  service.child.kill(signal);
  return eventually('the service notices the signal', () =>
    service.logged().some(({ msg }) => msg === 'stopping'),
  );
}

/**
 * Begins a registration and sends only the first characters of its body. The service has begun to
 * read them.
 */
export async function beginRegistration(
  { address, managementKey }: ServiceProcess,
  body: string,
  sent: number,
): Promise<RawConnection> {
  const connection = await openRawConnection(address);
  connection.send(
    'POST /v1/end-users HTTP/1.1\r\nHost: service\r\nContent-Type: application/json\r\n' +
      `Authorization: Bearer ${managementKey}\r\nContent-Length: ${body.length}\r\n` +
      'Expect: 100-continue\r\n\r\n',
  );
  await eventually('the service reads the request', () =>
    connection.received().includes('100 Continue'),
  );
  connection.send(body.slice(0, sent));
  return connection;
}

/** The end of a service. */
export interface Ended {
  readonly code: number | null;
  /** Milliseconds since the signal. */
  readonly seconds: number;
}

/** Sends SIGTERM. A suite may do other things before it waits for the end. */
export async function endOf(service: ServiceProcess): Promise<Ended> {
  const begun = performance.now();
  const code = await service.stop();
  return { code, seconds: (performance.now() - begun) / 1_000 };
}
