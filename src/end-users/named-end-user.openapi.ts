/** Where a request names the end user whom it changes (docs/api.md 5.7). */
export type EndUserPlace = 'path' | 'query';

/** What the document says of an operation, by the place of the name. */
export const NAMED: Readonly<Record<EndUserPlace, { title: string; text: string }>> = {
  path: { title: '', text: '' },
  query: {
    title: ', named in the query',
    text: ' The same as by path, for any tracking string, . and .. included. A proxy that decodes paths leaves a query as it is.',
  },
};
