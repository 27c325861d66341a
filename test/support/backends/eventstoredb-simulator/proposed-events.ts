import type { UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { status } from '@grpc/grpc-js';
import { appendTooLarge, Refusal } from './refusal.js';
import type { ProposedEvent } from './stored-event.js';

/** The default limit of a server. */
export const MAX_APPEND_BYTES = 1024 * 1024;

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const NO_GUID = /^[0-]+$/;

interface ProposedMessage {
  getId(): UUID | undefined;
  getMetadataMap(): { get(key: string): string | undefined };
  getData_asU8(): Uint8Array;
  getCustomMetadata_asU8(): Uint8Array;
}

/** @throws Refusal for an event that the server does not accept. */
export function proposedEvent(message: ProposedMessage): ProposedEvent {
  const id = message.getId()?.getString() ?? '';
  const properties = message.getMetadataMap();
  const type = properties.get('type');
  const contentType = properties.get('content-type');
  if (type === undefined || contentType === undefined) {
    throw new Refusal(status.INVALID_ARGUMENT, 'A required metadata property is missing.', {
      exception: 'missing-required-metadata-property',
      'required-metadata-properties': 'type,content-type',
    });
  }
  if (type === '' || !GUID.test(id) || NO_GUID.test(id)) {
    throw new Refusal(status.UNKNOWN, 'Exception was thrown by handler.');
  }
  return {
    id: id.toLowerCase(),
    type,
    contentType,
    data: message.getData_asU8(),
    customMetadata: message.getCustomMetadata_asU8(),
  };
}

/** @throws Refusal when the events exceed the limit of one append. */
export function requireFitting(events: readonly ProposedEvent[], maxBytes: number): void {
  const sizes = events.map(
    ({ type, data, customMetadata }) => data.length + customMetadata.length + 2 * type.length,
  );
  if (sizes.reduce((sum, size) => sum + size, 0) > maxBytes) throw appendTooLarge(maxBytes);
}
