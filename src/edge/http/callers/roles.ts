import { applyDecorators, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import { Refusal } from '../../../kernel/errors.js';
import { type Role, ROLES } from '../../../kernel/role.js';
import type { Caller } from './caller.js';

/**
 * The only table of what roles may do (docs/api.md 1.2): the roles that may use a route, by what
 * the route is for. The guard, the gateways' route and the OpenAPI document read it.
 */
export const ROLES_BY_USE = {
  /** The questions and reports of gateways. */
  gateways: ['gateway', 'admin'],
  /** The report that a gateway made, and the key that asks. */
  anyone: ROLES,
  reading: ['auditor', 'admin'],
  changing: ['admin'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

type RouteUse = keyof typeof ROLES_BY_USE;

/** The field of an operation in the OpenAPI document with the roles that may use it. */
export const ROLES_FIELD = 'x-roles';

const RouteFor = Reflector.createDecorator<RouteUse | undefined>();

/** Says what a route is for. Without it, its method says whether it reads or changes. */
export function For(use: RouteUse): MethodDecorator {
  return applyDecorators(RouteFor(use), ApiExtension(ROLES_FIELD, ROLES_BY_USE[use]));
}

/** Returns the roles that may use a route that does not say what it is for. */
export function rolesByMethod(method: string): readonly Role[] {
  return ROLES_BY_USE[['GET', 'HEAD'].includes(method.toUpperCase()) ? 'reading' : 'changing'];
}

/** Whether a management key may do what gateways do. */
export function mayServeGateways({ role }: Caller): boolean {
  return ROLES_BY_USE.gateways.some((one) => one === role);
}

/** @throws Refusal when the role of a management key does not allow the route of a request. */
export function requireRole(
  { role }: Caller,
  context: ExecutionContext,
  reflector: Reflector,
): void {
  const { method } = context.switchToHttp().getRequest<{ method: string }>();
  const use = reflector.get(RouteFor, context.getHandler());
  const needs: readonly Role[] = use ? ROLES_BY_USE[use] : rolesByMethod(method);
  if (role !== null && !needs.includes(role)) throw new Refusal('role-missing', { role, needs });
}
