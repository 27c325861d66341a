import { Body, Controller, Get, Inject, Post, Query } from '@nestjs/common';
import {
  type EndUserRecord,
  ListEndUsersRequest,
  presentEndUser,
  RegisterEndUserRequest,
} from '../../src/features/end-users/end-user.fields.js';
import {
  type Caller,
  CurrentCaller,
  organizationOf,
  RequestOrigin,
} from '../../src/edge/http/callers/caller.js';
import { ShapePipe } from '../../src/edge/http/fields/shape.pipe.js';
import type { Origin } from '../../src/kernel/metadata.js';

export const STATIC_PAGE = Symbol('StaticPage');

/** The end-user routes with the same guards, pipes and filters, but without a store. */
@Controller('v1/end-users')
export class BaselineController {
  constructor(@Inject(STATIC_PAGE) private readonly page: object) {}

  @Post()
  register(
    @Body(new ShapePipe(RegisterEndUserRequest, 'refused')) { user }: RegisterEndUserRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() _origin: Origin,
  ): { data: EndUserRecord } {
    organizationOf(caller);
    const now = new Date().toISOString();
    return { data: presentEndUser({ user, is_active: true, created_at: now, updated_at: now }) };
  }

  @Get()
  list(
    @Query(new ShapePipe(ListEndUsersRequest)) _query: ListEndUsersRequest,
    @CurrentCaller() caller: Caller,
  ): object {
    organizationOf(caller);
    return this.page;
  }
}
