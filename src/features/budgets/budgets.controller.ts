import { Body, Controller, Delete, Get, Param, Put, Res, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type express from 'express';
import { StaleInterceptor } from '../../edge/http/answers/stale.interceptor.js';
import {
  type Caller,
  CurrentCaller,
  organizationOf,
  RequestOrigin,
} from '../../edge/http/callers/caller.js';
import { addressable } from '../../edge/http/fields/addressable.js';
import { ShapePipe } from '../../edge/http/fields/shape.pipe.js';
import * as answer from '../../edge/http/openapi/answer.js';
import { Refuses } from '../../edge/http/openapi/errors.js';
import { Operation } from '../../edge/http/openapi/operation.js';
import { CountsRefusals } from '../../edge/rate-limits/rate-limit.interceptor.js';
import type { Origin } from '../../kernel/metadata.js';
import type { Read } from '../../kernel/read.js';
import { WORKSPACE_IN_PATH } from '../accounts/workspace.fields.js';
import { endUserId, endUserStream } from '../end-users/domain/end-user.js';
import { EndUserPath } from '../end-users/end-user.fields.js';
import { BudgetRecords } from './budget-records.js';
import {
  budgetIn,
  BudgetShape,
  type EndUserBudget,
  EndUserBudgetShape,
  SetBudgetRequest,
  type SpentBudget,
  SpentBudgetShape,
} from './budget.fields.js';
import { type BudgetHolder, ChangeBudget } from './budgets.commands.js';
import type { Budget } from './domain/budget.js';

const IN_COMMON = { kind: 'end-users-in-common' } as const;

/** Budgets of workspaces and end users (docs/api.md 15). */
@ApiTags('Budgets')
@Controller('v1')
@UseInterceptors(StaleInterceptor)
export class BudgetsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly records: BudgetRecords,
  ) {}

  @Get('workspaces/:workspace/budget')
  @ApiParam(WORKSPACE_IN_PATH)
  @Operation('readWorkspaceBudget', 'Read the budget of a workspace', answer.one(SpentBudgetShape))
  @Refuses(['no-budget'])
  readOfWorkspace(
    @Param('workspace') workspace: string,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<Read<{ data: SpentBudget }>> {
    return this.records.ofWorkspace(accountId, workspace);
  }

  @Put('workspaces/:workspace/budget')
  @CountsRefusals(true)
  @ApiParam(WORKSPACE_IN_PATH)
  @Operation('setWorkspaceBudget', 'Set the budget of a workspace', {
    ...answer.one(SpentBudgetShape, 201),
    repeated: 200,
  })
  @Refuses(['stored-usage-unknown'])
  async setOfWorkspace(
    @Param('workspace') workspace: string,
    @Body(new ShapePipe(SetBudgetRequest, 'refused')) body: SetBudgetRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
    @Res({ passthrough: true }) response: express.Response,
  ): Promise<Read<{ data: SpentBudget }>> {
    const { id } = await this.records.workspace(accountId, workspace);
    const budget = budgetIn(body);
    const command = new ChangeBudget(accountId, { kind: 'workspace', id }, budget, origin);
    response.status((await this.commands.execute(command)) ? 201 : 200);
    return this.records.afterChange(accountId, id, budget);
  }

  @Delete('workspaces/:workspace/budget')
  @CountsRefusals(true)
  @ApiParam(WORKSPACE_IN_PATH)
  @Operation('removeWorkspaceBudget', 'Remove the budget of a workspace', answer.DELETED)
  @Refuses(['no-budget'])
  removeOfWorkspace(
    @Param('workspace') id: string,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ deleted: true }> {
    return this.#remove(accountId, { kind: 'workspace', id }, origin);
  }

  @Get('end-users/:user/budget')
  @Operation(
    'readEndUserBudget',
    'Read the budget that holds for an end user',
    answer.one(EndUserBudgetShape),
  )
  @Refuses(['no-budget'])
  readOfEndUser(
    @Param(new ShapePipe(EndUserPath)) path: EndUserPath,
    @CurrentCaller() caller: Caller,
  ): Promise<Read<{ data: EndUserBudget }>> {
    return this.records.ofEndUser(organizationOf(caller), addressable(path.user));
  }

  @Put('end-users/:user/budget')
  @CountsRefusals(true)
  @Operation('setEndUserBudget', 'Set the budget of a registered end user', {
    ...answer.one(EndUserBudgetShape, 201),
    repeated: 200,
  })
  @Refuses(['stored-usage-unknown'])
  async setOfEndUser(
    @Param(new ShapePipe(EndUserPath)) path: EndUserPath,
    @Body(new ShapePipe(SetBudgetRequest, 'refused')) body: SetBudgetRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
    @Res({ passthrough: true }) response: express.Response,
  ): Promise<Read<{ data: EndUserBudget }>> {
    const organizationId = organizationOf(caller);
    const id = addressable(path.user);
    const budget = budgetIn(body);
    const command = new ChangeBudget(organizationId, { kind: 'end-user', id }, budget, origin);
    response.status((await this.commands.execute(command)) ? 201 : 200);
    const subject = endUserStream(endUserId(organizationId, id));
    const { found, isLate } = await this.records.afterChange(organizationId, subject, budget);
    return { found: { data: { ...found.data, is_common: false } }, isLate };
  }

  @Delete('end-users/:user/budget')
  @CountsRefusals(true)
  @Operation('removeEndUserBudget', 'Remove the budget of a registered end user', answer.DELETED)
  @Refuses(['no-budget'])
  removeOfEndUser(
    @Param(new ShapePipe(EndUserPath)) path: EndUserPath,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ deleted: true }> {
    const holder = { kind: 'end-user', id: addressable(path.user) } as const;
    return this.#remove(organizationOf(caller), holder, origin);
  }

  @Get('end-user-budget')
  @Operation(
    'readCommonBudget',
    'Read the budget of every end user who has none of their own',
    answer.one(BudgetShape),
  )
  @Refuses(['organization-required', 'no-budget'])
  async readCommon(@CurrentCaller() caller: Caller): Promise<{ data: Budget }> {
    return { data: await this.records.common(organizationOf(caller)) };
  }

  @Put('end-user-budget')
  @CountsRefusals(true)
  @Operation('setCommonBudget', 'Set the budget of every end user who has none of their own', {
    ...answer.one(BudgetShape, 201),
    repeated: 200,
  })
  @Refuses(['organization-required'])
  async setCommon(
    @Body(new ShapePipe(SetBudgetRequest, 'refused')) body: SetBudgetRequest,
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
    @Res({ passthrough: true }) response: express.Response,
  ): Promise<{ data: Budget }> {
    const data = budgetIn(body);
    const command = new ChangeBudget(organizationOf(caller), IN_COMMON, data, origin);
    response.status((await this.commands.execute(command)) ? 201 : 200);
    return { data };
  }

  @Delete('end-user-budget')
  @CountsRefusals(true)
  @Operation(
    'removeCommonBudget',
    'Remove the budget of every end user who has none of their own',
    answer.DELETED,
  )
  @Refuses(['organization-required', 'no-budget'])
  removeCommon(
    @CurrentCaller() caller: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ deleted: true }> {
    return this.#remove(organizationOf(caller), IN_COMMON, origin);
  }

  async #remove(
    accountId: string,
    holder: BudgetHolder,
    origin: Origin,
  ): Promise<{ deleted: true }> {
    await this.commands.execute(new ChangeBudget(accountId, holder, null, origin));
    return { deleted: true };
  }
}
