import { Body, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { HttpRefusal } from '../answers/http-refusal.js';
import { type KnownFields, knownFieldsOf, unknownFieldsIn } from './known-fields.js';
import { nearestTo } from './list-query.js';
import { type Issue, issuesUpTo, shownName, ShapePipe } from './shape.pipe.js';

/** The fields that a body may have whose other fields are ignored. */
export const LenientFields = Reflector.createDecorator<KnownFields | undefined>();

/**
 * Passes the validated body to a handler. Unknown fields are ignored, and the answer names them. A
 * caller may prefer that they are refused (docs/api.md 1.5).
 */
export function LenientBody(shape: Type<object>): ParameterDecorator {
  return (controller, name, index) => {
    Body(new ShapePipe(shape))(controller, name, index);
    const handler = name && Object.getOwnPropertyDescriptor(controller, name);
    if (handler) LenientFields(knownFieldsOf(shape))(controller, name, handler);
  };
}

const APPLIED = 'Preference-Applied';
/** The header of an answer to a caller who prefers that unknown fields are refused. */
const STRICT = { [APPLIED]: 'handling=strict' } as const;

/** A preference of a list, of which a quoted string may have commas. */
const PREFERENCE = /(?:"(?:[^"\\]|\\.?)*(?:"|$)|[^",])+/g;
const HANDLING = /^\s*handling\s*=\s*(?:"(\w+)"|(\w+))\s*(?:;|$)/i;

/** Whether the caller prefers strict handling (RFC 7240). The first of several words counts. */
export function prefersStrict(request: Request): boolean {
  for (const [preference] of (request.get('prefer') ?? '').matchAll(PREFERENCE)) {
    const [found, quoted, plain] = HANDLING.exec(preference) ?? [];
    if (found !== undefined) return (quoted ?? plain)?.toLowerCase() === 'strict';
  }
  return false;
}

const MOST_NAMED = 20;
/** The names that a header may have as they are. A key string of the service is longer. */
const NAMEABLE = /^[A-Za-z0-9_.-]{1,32}$/;

/** Names the unknown fields of a body in the answer, whatever that is. */
export function nameIgnored(response: Response, body: object, known: KnownFields): void {
  const named: string[] = [];
  for (const { name, parent } of unknownFieldsIn(body, known)) {
    const path = parent + name;
    if (NAMEABLE.test(path)) named.push(path);
    if (named.length === MOST_NAMED) break;
  }
  if (named.length > 0) response.setHeader('Keyledger-Ignored', named.join(', '));
}

/** @throws Refusal that names the unknown fields of a body, each with the nearest known one. */
export function refuseUnknown(body: object, known: KnownFields): void {
  const unknown = [...unknownFieldsIn(body, known)];
  if (unknown.length === 0) return;
  const issues = issuesUpTo(unknown, ({ name, parent, known: names }): Issue => {
    const nearest = nearestTo(shownName(name), names);
    const hint = nearest === undefined ? '' : `; the nearest one is ${parent}${nearest}`;
    return { path: shownName(parent + name), message: `is not a field of this request${hint}` };
  });
  throw new HttpRefusal('unknown-field', { headers: STRICT }, { issues });
}

/** Says in a successful answer that strict handling applied. Other errors do not say it. */
export function noteStrict(response: Response): void {
  response.set(STRICT).once('failed', () => response.removeHeader(APPLIED));
}
