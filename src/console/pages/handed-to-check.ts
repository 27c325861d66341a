let handed = '';
let receive: ((text: string) => void) | undefined;

/** Hands a key string to the page that checks it. It is in no address and in no storage. */
export function handToCheck(text: string): void {
  if (receive) receive(text);
  else handed = text;
}

/** Calls back with what was or will be handed over, until the returned function is called. */
export function receiveHanded(listener: (text: string) => void): () => void {
  receive = listener;
  if (handed !== '') listener(handed);
  handed = '';
  return () => {
    receive = undefined;
  };
}
