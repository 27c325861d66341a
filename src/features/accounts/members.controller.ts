import { Controller, Delete, Get, Param, Put, Req, Res } from '@nestjs/common';
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
import { Flag, Shown, TrackingString } from '../../edge/http/fields/field-decorators.js';
import { ListQuery } from '../../edge/http/fields/list-query.js';
import { Paged, pagingOf } from '../../edge/http/fields/paging.js';
import { ShapePipe } from '../../edge/http/fields/shape.pipe.js';
import * as answer from '../../edge/http/openapi/answer.js';
import { Refuses } from '../../edge/http/openapi/errors.js';
import { Operation } from '../../edge/http/openapi/operation.js';
import { requireNoKeyString } from '../../edge/http/requests/body-values.js';
import { BodyOf } from '../../edge/http/requests/json-body.guard.js';
import { CountsRefusals } from '../../edge/rate-limits/rate-limit.guard.js';
import { notFound, Refusal } from '../../kernel/errors.js';
import type { Origin } from '../../kernel/metadata.js';
import type { Read } from '../../kernel/read.js';
import { AccountDirectory } from './account-directory/account-directory.js';
import { AddMember, RemoveMember } from './accounts.commands.js';
import { AccountFacts } from './published/account-facts.js';

class AccountMember {
  @Shown('Id of the user.', { type: String })
  readonly user_id!: string;

  @Flag('Whether the user owns the account.')
  readonly is_owner!: boolean;
}

class MemberPath {
  @TrackingString('Id of the user, percent-encoded.')
  readonly user_id!: string;
}

class ListMembersRequest extends Paged(100) {}

/** Members of an organization (docs/api.md 2.12). */
@ApiTags('Members')
@Controller('v1/members')
export class MembersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: AccountDirectory,
    private readonly accounts: AccountFacts,
  ) {}

  @Get()
  @Operation(
    'listMembers',
    'List the members of the organization, in the order in which they joined',
    answer.page(AccountMember),
  )
  @Refuses(['organization-required'])
  async list(
    @ListQuery(ListMembersRequest) query: ListMembersRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<Read<{ data: AccountMember[]; total_count: number }>> {
    const organizationId = organizationOf(caller);
    const { found, isLate } = await this.directory.members(organizationId, pagingOf(query));
    const owner = (await this.accounts.account(organizationId))?.owner_user_id;
    const data = found.documents.map(({ user_id }) => ({ user_id, is_owner: user_id === owner }));
    return { found: { data, total_count: found.total }, isLate };
  }

  @Put(':user_id')
  @CountsRefusals(true)
  @BodyOf({ readBy: 'nobody' })
  @Operation('putMember', 'Make a user a member of the organization', {
    ...answer.one(AccountMember, 201),
    repeated: 200,
  })
  @Refuses(['quota-exceeded'])
  async put(
    @Param(new ShapePipe(MemberPath)) { user_id }: MemberPath,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
    @Req() request: express.Request,
    @Res({ passthrough: true }) response: express.Response,
  ): Promise<{ data: AccountMember }> {
    requireNoKeyString(user_id, requireBearerKey(request), 'user_id');
    const organizationId = organizationOf(caller);
    const command = new AddMember(organizationId, addressable(user_id), origin);
    const isNew = await this.commands.execute(command);
    const owner = (await this.accounts.account(organizationId))?.owner_user_id;
    response.status(isNew ? 201 : 200);
    return { data: { user_id, is_owner: user_id === owner } };
  }

  @Delete(':user_id')
  @CountsRefusals(true)
  @Operation(
    'removeMember',
    'Remove a user from the organization, with the management keys of the user',
    answer.DELETED,
  )
  @Refuses(['owner-not-removable', 'last-admin-key'])
  async remove(
    @Param(new ShapePipe(MemberPath)) { user_id }: MemberPath,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ deleted: true }> {
    const command = new RemoveMember(organizationOf(caller), addressable(user_id), origin);
    try {
      await this.commands.execute(command);
    } catch (error) {
      const isUnknown = error instanceof Refusal && error.code === 'member-unknown';
      throw isUnknown ? notFound() : error;
    }
    return { deleted: true };
  }
}
