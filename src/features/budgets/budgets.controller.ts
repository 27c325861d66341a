import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  Param,
  type PipeTransform,
  Put,
  Res,
  type Type,
} from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiParam, type ApiParamOptions, ApiTags } from '@nestjs/swagger';
import type express from 'express';
import type { Reason } from '../../edge/http/answers/error-table.js';
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
import { CountsRefusals } from '../../edge/rate-limits/rate-limit.guard.js';
import { afterChange } from '../../kernel/errors.js';
import type { Origin } from '../../kernel/metadata.js';
import type { Read } from '../../kernel/read.js';
import { WORKSPACE_IN_PATH } from '../accounts/workspace.fields.js';
import { END_USER_IN_PATH, EndUserPath } from '../end-users/end-user.fields.js';
import { BudgetRecords } from './budget-records.js';
import {
  budgetIn,
  BudgetShape,
  EndUserBudgetShape,
  SetBudgetRequest,
  SpentBudgetShape,
} from './budget.fields.js';
import { ChangeBudget } from './budgets.commands.js';
import type { BudgetHolder } from './domain/budget.js';

/** The routes of the budgets of one kind of holder. */
interface Routes<Path extends object> {
  readonly path: string;
  /** The name of the budget in the names of operations. */
  readonly name: string;
  /** The holder, as the summaries of operations call it. */
  readonly whose: string;
  readonly shape: Type<BudgetShape>;
  readonly inPath: readonly ApiParamOptions[];
  readonly pipes: readonly PipeTransform[];
  readonly refusals: { readonly all: readonly Reason[]; readonly set: readonly Reason[] };
  readonly holderOf: (caller: Caller, path: Path) => BudgetHolder;
}

/** Makes the controller of a kind of holder (docs/api.md 15). */
function controllerOf<Path extends object>(routes: Routes<Path>): Type {
  const { name, shape, refusals, holderOf } = routes;

  @ApiTags('Budgets')
  @Controller(routes.path)
  @applyDecorators(...routes.inPath.map((param) => ApiParam(param)))
  class BudgetController {
    constructor(
      private readonly commands: CommandBus,
      private readonly records: BudgetRecords,
    ) {}

    @Get()
    @Operation(`read${name}`, `Read the budget of ${routes.whose}`, answer.one(shape))
    @Refuses([...refusals.all, 'no-budget'])
    async read(
      @Param(...routes.pipes) path: Path,
      @CurrentCaller() caller: Caller,
    ): Promise<Read<{ data: BudgetShape }>> {
      const holder = holderOf(caller, path);
      return this.records.present(holder, await this.records.find(holder));
    }

    @Put()
    @CountsRefusals(true)
    @Operation(`set${name}`, `Set the budget of ${routes.whose}`, {
      ...answer.one(shape, 201),
      repeated: 200,
    })
    @Refuses([...refusals.all, ...refusals.set])
    async set(
      @Param(...routes.pipes) path: Path,
      @Body(new ShapePipe(SetBudgetRequest, 'refused')) body: SetBudgetRequest,
      @CurrentCaller() caller: Caller,
      @RequestOrigin() origin: Origin,
      @Res({ passthrough: true }) response: express.Response,
    ): Promise<Read<{ data: BudgetShape }>> {
      const holder = holderOf(caller, path);
      const budget = budgetIn(body);
      const command = new ChangeBudget(holder, budget, origin);
      const { isNew, subject } = await this.commands.execute(command);
      response.status(isNew ? 201 : 200);
      return afterChange(this.records.present(holder, { subject, budget, isCommon: false }));
    }

    @Delete()
    @CountsRefusals(true)
    @Operation(`remove${name}`, `Remove the budget of ${routes.whose}`, answer.DELETED)
    @Refuses([...refusals.all, 'no-budget'])
    async remove(
      @Param(...routes.pipes) path: Path,
      @CurrentCaller() caller: Caller,
      @RequestOrigin() origin: Origin,
    ): Promise<{ deleted: true }> {
      await this.commands.execute(new ChangeBudget(holderOf(caller, path), null, origin));
      return { deleted: true };
    }
  }

  return BudgetController;
}

export const budgetControllers = [
  controllerOf({
    path: 'v1/workspaces/:workspace/budget',
    name: 'WorkspaceBudget',
    whose: 'a workspace',
    shape: SpentBudgetShape,
    inPath: [{ ...WORKSPACE_IN_PATH, type: String }],
    pipes: [],
    refusals: { all: [], set: ['stored-usage-unknown'] },
    holderOf: ({ accountId }, { workspace }: { readonly workspace: string }) => ({
      kind: 'workspace',
      accountId,
      idOrSlug: workspace,
    }),
  }),
  controllerOf({
    path: 'v1/end-users/:user/budget',
    name: 'EndUserBudget',
    whose: 'an end user',
    shape: EndUserBudgetShape,
    inPath: [END_USER_IN_PATH],
    pipes: [new ShapePipe(EndUserPath)],
    refusals: { all: [], set: ['stored-usage-unknown'] },
    holderOf: (caller, { user }: EndUserPath) => ({
      kind: 'end-user',
      accountId: organizationOf(caller),
      user: addressable(user),
    }),
  }),
  controllerOf({
    path: 'v1/end-user-budget',
    name: 'CommonBudget',
    whose: 'every end user who has none of their own',
    shape: BudgetShape,
    inPath: [],
    pipes: [],
    refusals: { all: ['organization-required'], set: [] },
    holderOf: (caller) => ({ kind: 'end-users-in-common', accountId: organizationOf(caller) }),
  }),
];
