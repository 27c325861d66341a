import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { type LocalServer, startLocal } from '../deploy/api-behind.js';

/** A report as a reporter sent it. */
export interface SentReport {
  readonly id: string;
  readonly records: readonly Record<string, unknown>[];
}

/**
 * The answer to a report. `silent`: no answer comes. `broken`: the connection ends without an
 * answer.
 */
export type ScriptedAnswer = 'silent' | 'broken' | WholeAnswer;

interface WholeAnswer {
  readonly status: number;
  readonly retryAfter?: string;
  readonly body?: unknown;
}

/** A server in place of Keyledger that answers reports one after the other as a test says. */
export interface ScriptedAnswers extends LocalServer {
  /** The answers to come. After the last one, reports are accepted. */
  readonly answers: ScriptedAnswer[];
  readonly sent: readonly SentReport[];
}

export async function startScriptedAnswers(): Promise<ScriptedAnswers> {
  const answers: ScriptedAnswer[] = [];
  const sent: SentReport[] = [];
  const server = await startLocal(async (request, response) => {
    const { records } = (await json(request)) as SentReport;
    sent.push({ id: request.url?.split('/').at(-1) ?? '', records });
    const answer = answers.shift() ?? accepted;
    if (answer === 'broken') request.socket.destroy();
    else if (answer !== 'silent') write(response, answer);
  });
  return { ...server, answers, sent };
}

const accepted: WholeAnswer = { status: 201, body: { data: { unattributed: [] } } };

/** An answer with the error body of the service. */
export function refused(status: number, reason: string, ...paths: string[]): WholeAnswer {
  const issues = paths.map((path) => ({ path, message: 'is wrong' }));
  const metadata = { reason, ...(paths.length > 0 && { issues }) };
  return { status, body: { error: { code: status, message: 'No', metadata } } };
}

function write(response: ServerResponse, answer: WholeAnswer): void {
  const { status, retryAfter, body } = answer;
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
  response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
}
