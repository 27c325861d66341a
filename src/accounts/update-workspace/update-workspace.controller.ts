import { Body, Controller, Inject, Param, Patch, UseGuards, UseInterceptors } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import { Refusal } from '../../kernel/errors.js';
import type { Origin } from '../../kernel/metadata.js';
import { areShortened, keptRestriction } from '../domain/kept-restriction.js';
import { recordOf, type WorkspaceRecord } from '../domain/workspace.js';
import { ReadWorkspace } from '../read-workspace/read-workspace.query.js';
import { UpdateWorkspace } from './update-workspace.command.js';
import { DescribeUpdateWorkspace } from './update-workspace.openapi.js';
import { UpdateWorkspaceRequest } from './update-workspace.request.js';

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class UpdateWorkspaceController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(QueryBus) private readonly queries: QueryBus,
  ) {}

  @Patch(':workspace')
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeUpdateWorkspace()
  async update(
    @Param('workspace') workspace: string,
    @Body(new ShapePipe(UpdateWorkspaceRequest)) body: UpdateWorkspaceRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: WorkspaceRecord }> {
    if (Object.keys(body).length === 0) throw new Refusal('no-update-fields');
    const command = new UpdateWorkspace(accountId, workspace, body, origin);
    const changed = recordOf(await this.commands.execute(command));
    return { data: await this.#withWholeRestrictions(accountId, changed) };
  }

  /** Of restrictions from before they had a maximum a decision knows a shortened form; the read model has them whole. */
  async #withWholeRestrictions(
    accountId: string,
    changed: WorkspaceRecord,
  ): Promise<WorkspaceRecord> {
    if (!areShortened(changed.restrictions)) return changed;
    const { found } = await this.queries.execute(new ReadWorkspace(accountId, changed.id));
    const restrictions = changed.restrictions.map(
      (kept) => found.restrictions.find((whole) => keptRestriction(whole) === kept) ?? kept,
    );
    return { ...changed, restrictions };
  }
}
