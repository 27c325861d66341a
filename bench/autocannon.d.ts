/** Types for the used part of a package without types. */
declare module 'autocannon' {
  interface Request {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    /** Called before each request. */
    readonly setupRequest?: (request: Request) => Request;
  }

  interface Result {
    readonly requests: { readonly total: number };
    readonly duration: number;
    readonly errors: number;
    readonly non2xx: number;
  }

  export default function autocannon(options: {
    readonly url: string;
    readonly connections: number;
    readonly duration: number;
    readonly requests: readonly Request[];
  }): Promise<Result>;
}
