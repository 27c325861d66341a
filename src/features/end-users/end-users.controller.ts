import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  Param,
  Patch,
  Post,
  Put,
  Req,
  Res,
} from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type express from 'express';
import { requireBearerKey } from '../../edge/http/callers/bearer-key.js';
import {
  type Caller,
  CurrentCaller,
  organizationOf,
  RequestOrigin,
} from '../../edge/http/callers/caller.js';
import { addressable } from '../../edge/http/fields/addressable.js';
import { ListQuery } from '../../edge/http/fields/list-query.js';
import { pagingOf } from '../../edge/http/fields/paging.js';
import { ShapePipe } from '../../edge/http/fields/shape.pipe.js';
import { Refuses } from '../../edge/http/openapi/errors.js';
import * as answer from '../../edge/http/openapi/answer.js';
import { Operation } from '../../edge/http/openapi/operation.js';
import { requireNoKeyString } from '../../edge/http/requests/body-values.js';
import { BodyOf } from '../../edge/http/requests/json-body.guard.js';
import { CountsRefusals } from '../../edge/rate-limits/rate-limit.guard.js';
import type { Origin } from '../../kernel/metadata.js';
import type { Read } from '../../kernel/read.js';
import { EndUserDirectory } from './end-user-directory/end-user-directory.js';
import {
  EndUserPath,
  EndUserRecord,
  ListEndUsersRequest,
  presentEndUser,
  RegisterEndUserRequest,
  UpdateEndUserRequest,
} from './end-user.fields.js';
import { RegisterEndUser, UpdateEndUser } from './end-users.commands.js';

const LISTED =
  'Without parameters, only active end users are listed and counted; `include_inactive=true` adds the others.';

/** End users of organizations (docs/api.md 5). */
@ApiTags('End users')
@Controller('v1/end-users')
export class EndUsersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: EndUserDirectory,
  ) {}

  @Post()
  @Operation('registerEndUser', 'Register an end user', answer.one(EndUserRecord, 201))
  @Refuses(['end-user-already-registered'])
  async register(
    @Body(new ShapePipe(RegisterEndUserRequest, 'refused')) body: RegisterEndUserRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: EndUserRecord }> {
    const command = new RegisterEndUser(organizationOf(caller), body, origin, false);
    const { endUser } = await this.commands.execute(command);
    return { data: presentEndUser(endUser) };
  }

  @Get()
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Operation(
    'listEndUsers',
    'List registered end users, oldest first',
    answer.page(EndUserRecord, LISTED),
  )
  @Refuses(['organization-required'], LISTED)
  async list(
    @ListQuery(ListEndUsersRequest) query: ListEndUsersRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<Read<string>> {
    const organizationId = organizationOf(caller);
    const includeInactive = query.include_inactive === 'true';
    const range = { ...pagingOf(query), includeInactive };
    const { found, isLate } =
      query.user === undefined
        ? await this.directory.page(organizationId, range)
        : await this.directory.matching(organizationId, query.user, range);
    const data = found.documents.join();
    return { found: `{"data":[${data}],"total_count":${found.total}}`, isLate };
  }

  @Get(':user')
  @Operation('readEndUser', 'Read an end user, active or not', answer.one(EndUserRecord))
  async read(
    @Param(new ShapePipe(EndUserPath)) path: EndUserPath,
    @CurrentCaller() caller: Caller,
  ): Promise<Read<{ data: EndUserRecord }>> {
    const { found, isLate } = await this.directory.find(
      organizationOf(caller),
      addressable(path.user),
    );
    return { found: { data: presentEndUser(found) }, isLate };
  }

  @Put(':user')
  @CountsRefusals(true)
  @BodyOf({ readBy: 'nobody' })
  @Operation('putEndUser', 'Register an end user, once, by the path', {
    ...answer.one(EndUserRecord, 201),
    repeated: 200,
  })
  async put(
    @Param(new ShapePipe(EndUserPath)) path: EndUserPath,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
    @Req() request: express.Request,
    @Res({ passthrough: true }) response: express.Response,
  ): Promise<{ data: EndUserRecord }> {
    requireNoKeyString(path.user, requireBearerKey(request), 'user');
    const organizationId = organizationOf(caller);
    const body = { user: addressable(path.user) };
    const command = new RegisterEndUser(organizationId, body, origin, true);
    const { endUser, isNew } = await this.commands.execute(command);
    response.status(isNew ? 201 : 200);
    return { data: presentEndUser(endUser) };
  }

  @Patch(':user')
  @Operation('updateEndUser', 'Deactivate or reactivate an end user', answer.one(EndUserRecord))
  async update(
    @Param(new ShapePipe(EndUserPath)) path: EndUserPath,
    @Body(new ShapePipe(UpdateEndUserRequest, 'refused')) body: UpdateEndUserRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: EndUserRecord }> {
    const command = new UpdateEndUser(organizationOf(caller), addressable(path.user), body, origin);
    return { data: presentEndUser(await this.commands.execute(command)) };
  }

  @Delete(':user')
  @Operation('deactivateEndUser', 'Deactivate an end user, which stays registered', { status: 204 })
  async deactivate(
    @Param(new ShapePipe(EndUserPath)) path: EndUserPath,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<void> {
    const body = { is_active: false };
    await this.commands.execute(
      new UpdateEndUser(organizationOf(caller), addressable(path.user), body, origin),
    );
  }
}
